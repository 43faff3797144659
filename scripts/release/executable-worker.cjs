/** Where a thread of a single executable begins. */
const { load } = require('./executable-assets.cjs');

load('workbook-worker.cjs');
