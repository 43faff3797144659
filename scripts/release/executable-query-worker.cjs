/** Where the thread of a query begins in a single executable. */
const { load } = require('./executable-assets.cjs');

load('query-worker.cjs');
