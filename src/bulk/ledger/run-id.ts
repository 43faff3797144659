/** What runs are called. */
import { randomBytes } from 'node:crypto';

/** Sorts by time, to the millisecond, and can hardly meet another one. */
export function newRunId(now: Date): string {
  const [day = '', time = ''] = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').split('T');
  const milliseconds = String(now.getMilliseconds()).padStart(3, '0');
  return `${day}-${time}-${milliseconds}${randomBytes(1).toString('hex')}`;
}

const idForm = /^\d{8}-\d{6}-\d{3}[0-9a-f]{2}$/;

export function isRunId(text: string): boolean {
  return idForm.test(text);
}
