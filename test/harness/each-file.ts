/** Runs before each test file. Files share processes, in which a module is loaded once: this makes what belongs to one file. */
import { afterAll } from 'vitest';
import { makeHome, removeHome } from './own-home.ts';

makeHome();
afterAll(removeHome);
