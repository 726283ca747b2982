import { runInThisContext } from 'node:vm';
import { requireOutside } from './outside';

// Runs before every end-to-end and fault file. Loading these packages for each file would take
// longer than most tests.
const PACKAGES = ['exceljs', 'jszip', 'mongoose', 'supertest'];
for (const name of PACKAGES) jest.doMock(name, () => requireOutside(name));

// Documents that these packages read contain dates of the outer class.
globalThis.Date = runInThisContext('Date') as DateConstructor;
