import { mockWithOutside } from './outside';

// Runs before every end-to-end and fault file.
mockWithOutside(['exceljs', 'jszip', 'mongoose', 'supertest']);
