/** Preloaded into a process: its clock starts at the time in the file that BOH_TEST_CLOCK names, in UTC. */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const ahead = RealDate.parse(readFileSync(process.env.BOH_TEST_CLOCK ?? '', 'utf8')) - RealDate.now();
const now = () => RealDate.now() + ahead;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
