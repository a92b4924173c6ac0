export { default } from './label-many.js';
