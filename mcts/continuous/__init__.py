"""Search where observations hardly ever repeat: POMCPOW, POMCP-DPW, PFT-DPW, POMCP."""
