/** Between readers, which throw, and prompts, which want a sentence. */
import { Failure } from '../../errors.ts';

/** What is wrong with an answer, or nothing; what isn't the answer's own fault is left for the reader to throw. */
export function problemIn(read: (answer: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    try {
      read(answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return error.category === 'usage' ? error.message : undefined;
    }
  };
}
