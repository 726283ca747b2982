// Loaded before the services of tests: hashes of new passwords take a millisecond.
const bcrypt = require('bcrypt');

const LOWEST_COST = 4;
const { hash } = bcrypt;
bcrypt.hash = (text) => hash(text, LOWEST_COST);
