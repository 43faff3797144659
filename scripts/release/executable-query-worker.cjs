/** The entry point of the query worker thread in a single executable. */
const { load } = require('./executable-assets.cjs');

load('query-worker.cjs');
