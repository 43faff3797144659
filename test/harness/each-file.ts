/** Runs before each file of tests. They share processes, in which a module is loaded once: what is a file’s own is made here. */
import { afterAll } from 'vitest';
import { makeHome, removeHome } from './own-home.ts';

makeHome();
afterAll(removeHome);
