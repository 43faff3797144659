/** Preloaded into a process. Its clock starts at the UTC time in the file that TEST_CLOCK names. */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const offset = RealDate.parse(readFileSync(process.env.TEST_CLOCK ?? '', 'utf8')) - RealDate.now();
const now = () => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
