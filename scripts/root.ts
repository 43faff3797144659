/** The folder of the repository. It doesn't depend on the current directory. */
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
