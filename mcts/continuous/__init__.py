"""Search where hardly any observation comes twice: POMCPOW, POMCP-DPW, PFT-DPW, POMCP."""
