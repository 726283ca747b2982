// Preloaded into test services: hashing a new password takes a millisecond.
const bcrypt = require('bcrypt');

const LOWEST_COST = 4;
const { hash } = bcrypt;
bcrypt.hash = (text) => hash(text, LOWEST_COST);
