/** One or several of a list, searched as one types, which may be longer than what is known of it yet. */
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  useEffect,
  useRef,
  useState,
} from '@inquirer/core';
import { cleanLine } from './clean.ts';
import {
  answered,
  back,
  cutLine,
  type Frame,
  heading,
  linesWithin,
  setLine,
  tipLines,
  useKeys,
  useWindow,
} from './prompt-frame.ts';
import type { Choice, Entries, SeveralFromList } from './questions.ts';
import { pad } from './width.ts';

interface Several<Value> {
  required: boolean;
  chosen: readonly Choice<Value>[];
}

export interface ListConfig<Value> {
  frame: Frame;
  message: string;
  hint?: string | undefined;
  problem?: string | undefined;
  entries: Entries<Value>;
  typed?: string | undefined;
  /** Undefined where one is chosen, by Enter. */
  several?: (Pick<SeveralFromList<Value>, 'onLeave' | 'takesHere'> & Several<Value>) | undefined;
  /** Where the list begins, for one of a few. */
  initial?: Value | undefined;
  /** Ends the question with a failure. */
  fail(reason: unknown): void;
}

type Answer = readonly Choice<unknown>[] | typeof back;

/** The window’s columns from which a record is shown beside the list. */
const wide = 100;

const notYet = 'Nothing is found yet.';

export const listPrompt = createPrompt<Answer, ListConfig<unknown>>((config, done) => {
  const { frame, message, entries, several } = config;
  const [typed, setTyped] = useState(config.typed ?? '');
  const [, setVersion] = useState(0);
  const [status, setStatus] = useState<'asked' | 'done' | 'back'>('asked');
  const [problem, setProblem] = useState<string | undefined>(config.problem);
  const [ticked, setTicked] = useState(() => new Map((several?.chosen ?? []).map((it) => [keyOf(it), it])));
  const [active, setActive] = useState(() => initialIndex(config));
  const top = useRef(0);
  const hasTicked = useRef(false);
  const isFound = useRef(false);
  const answer = useRef('');

  useEffect((rl) => {
    if (config.typed) rl.write(config.typed);
    return entries.onChange((failure) => {
      if (failure === undefined) setVersion((version) => version + 1);
      else config.fail(failure);
    });
  }, []);

  const all = entries.matching(typed);
  const at = Math.min(active, Math.max(0, all.length - 1));
  const here = all[at];
  const content = heading(frame, message, typed);
  const above = content.split('\n').length - 1;
  const notes = notesOf(config, problem, here);
  const state = tipLines(
    frame,
    [
      several ? `${ticked.size} chosen` : '',
      entries.status(typed),
      typed === '' && 'type to search',
      several ? 'Space to choose' : 'Enter to choose',
      several
        ? several.takesHere && ticked.size === 0
          ? 'Enter takes this one'
          : 'Enter when you are done'
        : '',
      frame.canGoBack && 'Esc goes back',
    ],
    frame.height() > 12 ? 2 : 1,
  );
  const room = Math.max(3, frame.height() - above - notes.length - state.length - 2);
  const wanted = at + room;

  useEffect(() => {
    void entries.want(typed, wanted);
  }, [typed, wanted]);

  const finish = (chosen: readonly Choice<unknown>[]) => {
    answer.current = chosen.map(({ label }) => label).join(', ');
    setStatus('done');
    done(chosen);
  };

  const tick = () => {
    if (!here) return;
    const others = new Map(ticked);
    if (!others.delete(keyOf(here))) others.set(keyOf(here), here);
    hasTicked.current = true;
    isFound.current = true;
    setProblem(undefined);
    setTicked(others);
  };

  const enter = () => {
    if (!several) {
      if (here) finish([here]);
      return;
    }
    if (several.takesHere && ticked.size === 0 && here) return finish([here]);
    if (several.required && ticked.size === 0)
      return setProblem('At least one has to be chosen: Space chooses.');
    // Whoever searched and took nothing may have meant Enter to take it.
    if (typed !== '' && here && !hasTicked.current && problem === undefined) {
      return setProblem(`Space takes “${here.label}”; Enter again goes on without it.`);
    }
    finish([...ticked.values()]);
  };

  // Nobody chooses what they haven’t seen: a list that is still on its way is waited for.
  const isComing = !here && !entries.isWhole(typed);

  const goBack = () => {
    several?.onLeave?.([...ticked.values()].map(({ value }) => value));
    setStatus('back');
    done(back);
  };
  useKeys(frame, goBack, (key, line) => {
    if (status !== 'asked') return;
    const page = Math.max(1, room - 1);
    const steps: Record<string, number> = { pagedown: page, pageup: -page };
    if (isEnterKey(key)) {
      if (typed !== '') line.write(typed);
      // Of several none can be taken without a look at them.
      if (isComing && !(several && typed === '')) return setProblem(notYet);
      return enter();
    }
    if (isTabKey(key)) return setLine(line, typed);
    const step = isUpKey(key) ? -1 : isDownKey(key) ? 1 : steps[key.name];
    if (step !== undefined) {
      // The line editor may have put an earlier line there.
      if (line.line !== typed) setLine(line, typed);
      setProblem(undefined);
      const last = all.length - 1;
      const next = at + step;
      if (next <= last && next >= 0) return setActive(next);
      if (next > last) void entries.want(typed, all.length + room);
      if (Math.abs(step) === 1 && entries.isWhole(typed)) return setActive(next < 0 ? last : 0);
      return setActive(next < 0 ? 0 : Math.max(0, last));
    }
    if (several && isSpaceKey(key)) {
      setLine(line, typed);
      return isComing ? setProblem(notYet) : tick();
    }
    if (line.line === typed) return;
    // What was ticked is found: what is typed next looks for another.
    if (isFound.current && line.line.startsWith(typed)) setLine(line, line.line.slice(typed.length));
    isFound.current = false;
    setTyped(line.line);
    setActive(0);
    setProblem(undefined);
  });

  if (at < top.current) top.current = at;
  if (at >= top.current + room) top.current = at - room + 1;
  top.current = Math.max(0, Math.min(top.current, all.length - room));
  const rows = all.slice(top.current, top.current + room).map((choice, index) => {
    const isActive = top.current + index === at;
    const mark = several ? `${ticked.has(keyOf(choice)) ? frame.marks.on : frame.marks.off} ` : '';
    return { text: `${isActive ? frame.marks.cursor : ' '} ${mark}${choice.label}`, isActive };
  });
  const lines = beside(
    rows.map(({ text }) => text),
    here,
    room,
    frame,
  ).map(
    ([text, side], index) => (rows[index]?.isActive ? frame.paint.cyan(text) : text) + frame.paint.dim(side),
  );
  const below = [...lines, ...notes, ...state];
  useWindow(frame, { above, below: below.length, column: (content.split('\n').at(-1) ?? '').length });

  if (status !== 'asked' && frame.isGone) return '';
  if (status === 'done') return answered(frame, message, answer.current);
  return [content, below.join('\n')];
});

/** Below the list: what is wrong, what the entry is, what goes here. */
function notesOf(
  { frame, hint }: ListConfig<unknown>,
  problem: string | undefined,
  here: Choice<unknown> | undefined,
): string[] {
  const { red, dim } = frame.paint;
  const width = frame.width() - 1;
  return [
    ...(problem === undefined ? [] : linesWithin(problem, width).map(red)),
    ...(here?.description ? [dim(cutLine(`  ${here.description}`, frame))] : []),
    ...(hint && frame.height() > 12 ? linesWithin(hint, width).slice(0, 2).map(dim) : []),
  ];
}

function initialIndex({ entries, initial }: ListConfig<unknown>): number {
  if (initial === undefined) return 0;
  return Math.max(
    0,
    entries.matching('').findIndex(({ value }) => value === initial),
  );
}

function keyOf({ key, label }: Choice<unknown>): string {
  return key ?? label;
}

/** Each line of the list, and what stands at its side of the entry that the cursor is on. */
function beside(
  texts: readonly string[],
  here: Choice<unknown> | undefined,
  room: number,
  frame: Frame,
): [string, string][] {
  const preview = frame.width() >= wide ? here?.preview?.() : undefined;
  if (!preview) return texts.map((text) => [cutLine(text, frame), '']);
  const left = Math.floor(frame.width() * 0.55);
  const count = Math.max(texts.length, Math.min(preview.length, room));
  return Array.from({ length: count }, (_, index) => {
    const side = preview[index];
    const text = cutLine(texts[index] ?? '', frame, left - 3);
    if (side === undefined) return [text, ''];
    return [pad(text, left - 2), `| ${cutLine(cleanLine(side), frame, frame.width() - left - 3)}`];
  });
}
