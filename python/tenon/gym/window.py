"""A window that shows pictures, for render_mode="human": by Tk, or by pygame where Python has no Tk."""

import time

import numpy as np
import tenon


class TkWindow:
    """Shows pictures by tkinter."""

    def __init__(self, title: str, width: int, height: int):
        import tkinter
        self._tk = tkinter
        self._root = tkinter.Tk()
        self._root.title(title)
        self._root.resizable(False, False)
        self._label = tkinter.Label(self._root, borderwidth=0)
        self._label.pack()

    def draw(self, picture: np.ndarray) -> None:
        """Puts a picture into the window."""
        height, width = picture.shape[:2]
        image = self._tk.PhotoImage(data=b"P6 %d %d 255 " % (width, height) + picture.tobytes(), format="PPM")
        self._label.configure(image=image)
        self._label.image = image  # Tk itself does not keep it
        self._root.update()

    def close(self) -> None:
        """Closes the window."""
        self._root.destroy()


class PygameWindow:
    """Shows pictures by pygame."""

    def __init__(self, title: str, width: int, height: int):
        import pygame
        self._pygame = pygame
        pygame.display.init()
        self._screen = pygame.display.set_mode((width, height))
        pygame.display.set_caption(title)

    def draw(self, picture: np.ndarray) -> None:
        """Puts a picture into the window."""
        self._screen.blit(self._pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        self._pygame.event.pump()
        self._pygame.display.flip()

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()


class Window:
    """Shows a picture for as long as its part of the simulation lasts."""

    def __init__(self, window):
        self._window, self._due = window, 0.0

    def show(self, picture: np.ndarray, seconds: float) -> None:
        """Shows a picture, `seconds` after the last one."""
        now = time.monotonic()
        if 0.0 < self._due - now < seconds:
            time.sleep(self._due - now)
        self._due = max(now, self._due) + seconds
        self._window.draw(picture)

    def close(self) -> None:
        """Closes the window."""
        self._window.close()


def open_window(title: str, width: int, height: int) -> Window:
    """A window, or an exception that says what is missing."""
    problems = []
    for kind in (TkWindow, PygameWindow):
        try:
            return Window(kind(title, width, height))
        except Exception as error:  # each has exceptions of its own where there is no display
            problems.append(str(error))
    raise tenon.Error("render_mode='human' needs a display, and tkinter (Debian: python3-tk) or pygame: "
                      + "; ".join(problems))
