/** Runs before each test file and creates its home folder. Test files share processes and their loaded modules. */
import { afterAll } from 'vitest';
import { createHome, removeHome } from './home-folder.ts';

createHome();
afterAll(removeHome);
