import { mockWithOutside } from './outside';

// Runs before every unit spec. `jest.unmock` in a spec loads a package for that spec alone.
mockWithOutside(['fast-check', 'lodash', 'mongodb', 'mongoose', 'rxjs', 'zod']);
