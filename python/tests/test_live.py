"""Pages that simulate a model: what they hold, and what is wrong without an engine. tests/web runs them in a browser."""
import pytest
import tenon

BALL = """<mujoco model="drop"><worldbody><geom type="plane" size="1 1 1"/>
<body name="ball" pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


@pytest.fixture
def engine(tmp_path):
    """What begins as WebAssembly does: the page holds it, nothing here runs it."""
    path = tmp_path / "engine.wasm"
    path.write_bytes(b"\0asm\1\0\0\0")
    return path


def test_a_page_of_a_model_and_of_its_file(engine, tmp_path):
    model = tmp_path / "drop.xml"
    model.write_text(BALL)
    of_file = tenon.live(model, engine=engine)
    of_model = tenon.live(tenon.Model.from_file(model), engine=engine, title="a ball falls")
    for page in (of_file, of_model):
        assert page.html.lstrip().lower().startswith("<!doctype html") and "LivePage(" in repr(page)
    assert "a ball falls" in of_model.html and "a ball falls" not in of_file.html
    saved = of_file.save(tmp_path / "page.html")
    with open(saved, encoding="utf-8") as file:
        assert file.read() == of_file.html
    assert "<iframe" in of_file._repr_html_()


def test_the_variable_names_an_engine(engine, tmp_path, monkeypatch):
    monkeypatch.setenv("TENON_ENGINE", str(engine))
    model = tmp_path / "drop.xml"
    model.write_text(BALL)
    assert tenon.live(model).html == tenon.live(model, engine=engine).html


def test_what_is_wrong_is_told(engine, tmp_path):
    with pytest.raises(tenon.FileError, match="no.such.xml"):
        tenon.live(tmp_path / "no-such.xml", engine=engine)
    model = tmp_path / "drop.xml"
    model.write_text(BALL)
    with pytest.raises(tenon.FileError, match="no.engine.wasm"):
        tenon.live(model, engine=tmp_path / "no-engine.wasm")
    with pytest.raises(tenon.FileError, match="is no WebAssembly module"):
        tenon.live(model, engine=model)
