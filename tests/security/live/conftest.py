from live.place import place

__all__ = ["place"]
