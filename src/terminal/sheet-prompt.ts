/** Many lines with a text each, filled in like the column of a sheet. */
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  useEffect,
  useRef,
  useState,
} from '@inquirer/core';
import { back, cutLine, type Frame, setLine, tips, useKeys, useWindow, wrapped } from './prompt-frame.ts';
import type { SheetQuestion } from './questions.ts';
import { displayWidth, pad, truncate } from './width.ts';

export interface SheetConfig extends SheetQuestion {
  frame: Frame;
}

/** Columns for what is typed. */
const cell = 12;

export const sheetPrompt = createPrompt<string[] | typeof back, SheetConfig>((config, done) => {
  const { frame, message, hint, rows, header, validate } = config;
  const [texts, setTexts] = useState(() => rows.map(({ initial }) => initial));
  const [active, setActive] = useState(0);
  const [problem, setProblem] = useState<string | undefined>(config.problem);
  const [status, setStatus] = useState<'asked' | 'done' | 'back'>('asked');
  const top = useRef(0);

  useEffect((rl) => {
    if (rows[0]?.initial) rl.write(rows[0].initial);
  }, []);

  const { bold, cyan, dim, red } = frame.paint;
  const width = frame.width() - 1;
  const notes = [
    ...(problem === undefined ? [] : wrapped(problem, width).map(red)),
    ...(hint && frame.height() > 12 ? wrapped(hint, width).slice(0, 2).map(dim) : []),
  ];
  const room = Math.max(1, frame.height() - notes.length - 5);

  const goBack = () => {
    setStatus('back');
    done(back);
  };
  useKeys(frame, goBack, (key, line) => {
    if (status !== 'asked') return;
    const to = (next: number) => {
      const row = Math.max(0, Math.min(rows.length - 1, next));
      setProblem(undefined);
      setActive(row);
      setLine(line, texts[row] ?? '');
    };
    if (isUpKey(key)) return to(active - 1);
    if (isDownKey(key) || isTabKey(key)) return to(active + 1);
    if (key.name === 'pagedown') return to(active + room);
    if (key.name === 'pageup') return to(active - room);
    if (!isEnterKey(key)) {
      setProblem(undefined);
      return setTexts(texts.with(active, line.line));
    }
    const wrong = validate(texts[active] ?? '', active);
    if (wrong !== undefined) {
      setLine(line, texts[active] ?? '');
      return setProblem(wrong);
    }
    if (active < rows.length - 1) return to(active + 1);
    const first = texts.findIndex((text, row) => validate(text, row) !== undefined);
    if (first !== -1) {
      to(first);
      return setProblem(validate(texts[first] ?? '', first));
    }
    setStatus('done');
    done(texts);
  });

  if (active < top.current) top.current = active;
  if (active >= top.current + room) top.current = active - room + 1;
  const shown = rows.slice(top.current, top.current + room);
  const labels = Math.min(
    Math.max(...rows.map(({ label }) => displayWidth(label))),
    Math.max(12, width - cell - 6 - Math.min(24, Math.max(...rows.map(({ aside }) => displayWidth(aside))))),
  );
  const lines = shown.map(({ label, aside }, index) => {
    const row = top.current + index;
    const text = texts[row] ?? '';
    const mark = row === active ? frame.marks.cursor : ' ';
    const name = pad(truncate(label, labels, frame.marks.cut), labels);
    const line = cutLine(`${mark} ${name}  ${pad(text === '' ? '_' : text, cell)} ${aside}`, frame);
    if (row === active) return cyan(line);
    return text !== '' && validate(text, row) !== undefined ? red(line) : line;
  });
  const filled = texts.filter((text) => text !== '').length;
  const content = `${wrapped(`${frame.marks.asks} ${message}`, width).map(bold).join('\n')}\n  ${cutLine(
    `${rows[active]?.label ?? ''}: ${texts[active] ?? ''}`,
    frame,
    width - 2,
  )}`;
  const below = [
    dim(cutLine(`  ${pad('', labels)}  ${header}`, frame)),
    ...lines,
    ...notes,
    tips(frame, [
      `${filled} of ${rows.length} filled in`,
      'Enter goes to the next line',
      'up and down move',
      frame.canGoBack && 'Esc goes back',
    ]),
  ];
  useWindow(frame, {
    above: content.split('\n').length - 1,
    below: below.length,
    column: (content.split('\n').at(-1) ?? '').length,
  });
  if (status !== 'asked' && frame.isGone) return '';
  if (status === 'done') return `${frame.marks.done} ${message} ${cyan(`${filled} of ${rows.length}`)}`;
  return [content, below.join('\n')];
});
