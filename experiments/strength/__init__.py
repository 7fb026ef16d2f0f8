"""How much strength several workers buy, beside one worker that searches longer."""
