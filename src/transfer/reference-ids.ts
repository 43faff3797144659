/** Which record of the target stands for one of the source, of kinds that the API has no list of: branches, products. */
import { usage } from '../base/errors.ts';
import { withArticle } from '../contract/article.ts';
import { keyForm } from '../contract/key-form.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import type { Transfer } from './transfer.ts';

export interface GivenReference {
  /** By the API’s own name: `branches`. */
  target: string;
  /** Each by its id or its name. */
  theirs: string;
  ours: string;
}

/** By what is said, else by the same id or name where the target is known to have that. */
export async function referenceIds(
  session: Session,
  given: readonly GivenReference[],
  { areSame }: { areSame: boolean },
): Promise<Transfer['idOfReference']> {
  const known = new Map<string, { id: string; name: string }[]>();
  for (const { name } of session.api.references) known.set(name, await session.references(name));
  const named = (target: string, text: string): string | undefined => {
    const among = known.get(target) ?? [];
    if (among.some(({ id }) => id === text)) return text;
    const key = keyForm(undefined, text);
    const [only, ...others] = among.filter(({ name }) => keyForm(undefined, name) === key);
    return others.length === 0 ? only?.id : undefined;
  };
  const ours = given.map((one) => ({ ...one, id: idSaid(session, one, named) }));
  return (target: string, related: Row) => {
    const id = String(related.id);
    const name = typeof related.name === 'string' ? related.name : undefined;
    const said = ours.find((one) => one.target === target && (one.theirs === id || one.theirs === name));
    if (said) return said.id;
    if (areSame) return id;
    return named(target, id) ?? (name === undefined ? undefined : named(target, name));
  };
}

/** An id that isn’t known may be right; a name that isn’t can’t be told from one. */
function idSaid(
  { api }: Session,
  { target, ours }: GivenReference,
  named: (target: string, text: string) => string | undefined,
): string {
  const text = ours.replace(/^@/, '');
  const found = named(target, text);
  if (found !== undefined) return found;
  if (!ours.startsWith('@') && !/\s/.test(ours)) return ours;
  throw usage(`The target is not known to have ${withArticle(api.nounOf(target))} “${text}”.`, {
    hint: 'Give its id.',
  });
}
