/** Runs before each test file and gives it its own home folder. Test files share processes and their loaded modules. */
import { afterAll } from 'vitest';
import { makeHome, removeHome } from './own-home.ts';

makeHome();
afterAll(removeHome);
