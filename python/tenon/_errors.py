"""The exceptions of the package. Each is also the built-in one that fits."""


class Error(Exception):
    """Base of all errors that tenon reports."""


class UsageError(Error, ValueError):
    """An argument is out of its range, has the wrong shape, or the object is closed or in use."""


class ModelError(Error, ValueError):
    """A model has errors. The text has one line each: ``file:line:column: element: message``."""


class FileError(Error, OSError):
    """A file is missing, unreadable or cannot be written."""


class OutOfMemory(Error, MemoryError):
    """There is no memory left, or no thread could be started."""


class TroubleError(Error, ArithmeticError):
    """A step is in trouble, and the world was made with ``on_trouble="raise"``."""


class TroubleWarning(UserWarning):
    """A step is in trouble: it missed its tolerance, was rejected, or has forces that nothing real makes."""


class DeviceError(Error, RuntimeError):
    """There is no device that steps can run on, or it failed."""
