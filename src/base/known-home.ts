/**
 * A home for a user of whom the system knows nothing but a number, as in containers without HOME: one that holds nothing
 * and takes nothing, so that what isn't needed isn't kept. Imported before whatever asks for the home as it is loaded.
 */
import { homedir } from 'node:os';

try {
  homedir();
} catch {
  process.env.HOME = '/dev/null';
}
