/** Finds the folder of the repository, which doesn't depend on the current directory. */
import { fileURLToPath } from 'node:url';

/** The path of the repository, with a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url));
