"""The edge: adapters of the ports that the pure rooms define. Only here is js imported."""
