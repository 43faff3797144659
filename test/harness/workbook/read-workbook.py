"""Reads workbooks with Python's standard library, and prints the sheets of each as JSON."""
import json
import re
import sys
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def parse_part(book, name):
    return ElementTree.fromstring(book.read(name))


def text_of(node):
    parts = "".join(part.text or "" for part in node.iter(MAIN + "t"))
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)), parts)


def cell_of(cell, strings, formats):
    kind, value = cell.get("t", "n"), cell.find(MAIN + "v")
    number_format = formats[int(cell.get("s", "0"))]
    if kind == "inlineStr":
        content = text_of(cell.find(MAIN + "is"))
    elif kind == "s":
        content = strings[int(value.text)]
    elif value is None:
        return None
    else:
        content = value.text
    return {"kind": "text" if kind in ("s", "inlineStr", "str") else kind, "value": content, "format": number_format}


def column_of(reference):
    number = 0
    for letter in re.match(r"[A-Z]+", reference)[0]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def formats_of(book):
    styles = parse_part(book, "xl/styles.xml")
    custom_formats = {node.get("numFmtId"): node.get("formatCode") for node in styles.iter(MAIN + "numFmt")}
    custom_formats["49"] = "@"
    return [custom_formats.get(node.get("numFmtId"), node.get("numFmtId")) for node in styles.find(MAIN + "cellXfs")]


def sheets_of(file):
    with zipfile.ZipFile(file) as book:
        assert book.testzip() is None
        links = {
            node.get("Id"): node.get("Target") for node in parse_part(book, "xl/_rels/workbook.xml.rels")
        }
        has_strings = "xl/sharedStrings.xml" in book.namelist()
        strings = [text_of(node) for node in parse_part(book, "xl/sharedStrings.xml")] if has_strings else []
        formats = formats_of(book)
        for sheet in parse_part(book, "xl/workbook.xml").iter(MAIN + "sheet"):
            target = links[sheet.get(RELATION + "id")]
            content = parse_part(book, target.lstrip("/") if target.startswith("/") else "xl/" + target)
            rows = []
            for row in content.iter(MAIN + "row"):
                cells = {column_of(cell.get("r")): cell_of(cell, strings, formats) for cell in row}
                rows.append([cells.get(index) for index in range(max(cells, default=-1) + 1)])
            pane = next(content.iter(MAIN + "pane"), None)
            yield {
                "name": sheet.get("name"),
                "state": sheet.get("state", "visible"),
                "rows": rows,
                "frozen": pane.get("ySplit") if pane is not None else None,
                "widths": [float(node.get("width")) for node in content.iter(MAIN + "col")],
                "choices": {
                    node.get("sqref"): node.findtext(MAIN + "formula1")
                    for node in content.iter(MAIN + "dataValidation")
                },
            }


json.dump([list(sheets_of(file)) for file in sys.argv[1:]], sys.stdout)
