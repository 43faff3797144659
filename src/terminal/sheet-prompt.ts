/** Many lines with a text each, filled in like the column of a sheet; letters find the line that they are a name of. */
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  type KeypressEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from '@inquirer/core';
import { foldedWords, foldText, holdsWords } from '../fold-text.ts';
import { numeral } from './numeral.ts';
import {
  back,
  cutLine,
  type Frame,
  type Line,
  linesWithin,
  setLine,
  tipLines,
  useKeys,
  useWindow,
} from './prompt-frame.ts';
import type { SheetQuestion } from './questions.ts';
import { columnsOf, hiddenCells, type Layout, lineOf } from './sheet-layout.ts';

export interface SheetConfig extends SheetQuestion {
  frame: Frame;
}

/** A name is looked for: no number begins with a letter. */
const looksFor = /^\p{L}/u;

export const sheetPrompt = createPrompt<string[] | typeof back, SheetConfig>((config, done) => {
  const { frame, message, hint, rows, validate } = config;
  const [texts, setTexts] = useState(() => rows.map(({ initial }) => initial));
  const [wanted, setWanted] = useState('');
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      rows.findIndex(({ problem }) => problem !== undefined),
    ),
  );
  const [problem, setProblem] = useState(
    () => [config.problem, rows[active]?.problem].filter(Boolean).join(' ') || undefined,
  );
  const [status, setStatus] = useState<'asked' | 'done' | 'back'>('asked');
  const top = useRef(0);
  const isAnswered = useRef(false);
  const isFresh = useRef(true);
  const latest = useRef(texts);
  latest.current = texts;
  const folded = useMemo(() => rows.map(({ label }) => foldText(label)), [rows]);
  const measured = useMemo(() => columnsOf(config), [rows]);

  useEffect((rl) => {
    if (rows[active]?.initial) rl.write(rows[active]?.initial ?? '');
    return () => {
      if (!isAnswered.current) config.onLeave?.(latest.current);
    };
  }, []);

  const { bold, cyan, dim, red } = frame.paint;
  const width = frame.width() - 1;
  const shown = useMemo(() => {
    const all = rows.map((_, row) => row);
    const words = foldedWords(wanted);
    if (words.length === 0) return all;
    return all.filter((row) => holdsWords(folded[row] ?? '', words) || rows[row]?.id === wanted.trim());
  }, [wanted]);
  const at = Math.max(0, shown.indexOf(active));
  const here = shown[at];
  const layout: Layout = { ...measured, width, marks: frame.marks };
  const aside = hiddenCells(rows[here ?? active], config.columns, layout).join(frame.marks.dot);
  const notes = [
    ...(aside === '' ? [] : [dim(cutLine(`  ${aside}`, frame))]),
    ...(problem === undefined ? [] : linesWithin(problem, width).map(red)),
    ...(hint && frame.height() > 12 ? linesWithin(hint, width).slice(0, 2).map(dim) : []),
  ];
  const filled = texts.filter((text) => text.trim() !== '').length;
  const state = tipLines(
    frame,
    [
      wanted === ''
        ? `${numeral(filled)} of ${numeral(rows.length)} filled in`
        : `${numeral(shown.length)} of ${numeral(rows.length)}`,
      wanted === '' ? 'Ctrl-S when you are done' : 'Enter goes to the line',
      wanted === '' && 'a name finds its line',
      (frame.canGoBack || wanted !== '') && 'Esc goes back',
    ],
    frame.height() > 12 ? 2 : 1,
  );
  const heading = linesWithin(`${frame.marks.asks} ${message}`, width);
  const room = Math.max(1, frame.height() - notes.length - heading.length - state.length - 3);

  /** What was said of a line the last time, until it is another. */
  const saidOf = (row: number) => (texts[row] === rows[row]?.initial ? rows[row]?.problem : undefined);

  const finish = () => {
    const wrong = texts.findIndex((text, row) => validate(text, row) !== undefined);
    if (wrong !== -1) return { row: wrong, problem: validate(texts[wrong] ?? '', wrong) };
    if (!config.mayBeEmpty && texts.every((text) => text.trim() === ''))
      return { row: active, problem: 'Nothing is filled in yet. Ctrl-C ends this without an answer.' };
    isAnswered.current = true;
    setStatus('done');
    done(texts);
    return undefined;
  };

  const goBack = () => {
    setStatus('back');
    done(back);
  };
  const press = (key: KeypressEvent, line: Line) => {
    if (status !== 'asked') return;
    const to = (row: number | undefined, said?: string) => {
      setProblem(said ?? (row === undefined ? undefined : saidOf(row)));
      if (row === undefined) return setLine(line, wanted);
      setWanted('');
      setActive(row);
      setLine(line, texts[row] ?? '');
      isFresh.current = true;
    };
    const end = () => {
      const left = finish();
      if (left) to(left.row, left.problem);
    };
    const move = (by: number) => {
      const next = shown[Math.max(0, Math.min(shown.length - 1, at + by))];
      if (wanted === '') return to(next);
      setLine(line, wanted);
      if (next !== undefined) setActive(next);
    };
    if (key.ctrl && key.name === 's') return end();
    if (isUpKey(key)) return move(-1);
    if (isDownKey(key) || isTabKey(key)) return move(1);
    if (key.name === 'pagedown') return move(room);
    if (key.name === 'pageup') return move(-room);
    if (!isEnterKey(key)) {
      setProblem(undefined);
      // As in a spreadsheet: what is typed takes the place of what stands there, unless it is gone into first.
      const before = texts[active] ?? '';
      if (isFresh.current && line.line.length > before.length && line.line.startsWith(before))
        setLine(line, line.line.slice(before.length));
      isFresh.current = false;
      if (looksFor.test(line.line)) return setWanted(line.line);
      setWanted('');
      return setTexts(texts.with(active, line.line));
    }
    if (wanted !== '') return to(here, here === undefined ? 'No line has such a name.' : undefined);
    const wrong = validate(texts[active] ?? '', active);
    if (wrong !== undefined) return to(active, wrong);
    if (active < rows.length - 1) return to(active + 1);
    return end();
  };
  useKeys(frame, goBack, press, (line) => {
    if (wanted === '') return false;
    setWanted('');
    setLine(line, texts[active] ?? '');
    return true;
  });

  if (at < top.current) top.current = at;
  if (at >= top.current + room) top.current = at - room + 1;
  top.current = Math.max(0, Math.min(top.current, shown.length - room));
  const lines = shown.slice(top.current, top.current + room).map((row) => {
    const text = texts[row] ?? '';
    const line = lineOf(rows[row], text, row === here, layout);
    if (row === here) return cyan(line);
    const isWrong = text !== '' && (saidOf(row) ?? validate(text, row)) !== undefined;
    return isWrong ? red(line) : line;
  });
  const edited = wanted === '' ? `${rows[active]?.label ?? ''}: ${texts[active] ?? ''}` : `Find: ${wanted}`;
  const content = `${heading.map(bold).join('\n')}\n  ${cutLine(edited, frame, width - 2)}`;
  const below = [
    dim(lineOf({ label: '', cells: config.columns }, config.header, false, layout)),
    ...lines,
    ...notes,
    ...state,
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
