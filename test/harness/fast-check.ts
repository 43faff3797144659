/** fast-check as the tests use it: randomised tests try the same values in every ordinary run, so that a change is judged by itself; a soak tries new ones. */
import fc from 'fast-check';
import { rounds } from './rounds.ts';

const soaking = process.env.SOAK !== undefined;

fc.configureGlobal({ numRuns: rounds(100), ...(!soaking && { seed: 20_261_120 }) });

export { fc };
