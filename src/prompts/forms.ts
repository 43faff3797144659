/** Forms for records: one chunk, which only terminals need. */
export { editRecord } from './editing/edit-record.ts';
export { fillForm } from './fill-form.ts';
