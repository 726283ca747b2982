// Loaded before the service that files of tests share: hashes of new passwords take a millisecond.
// Services of a file's own hash as the program does.
const bcrypt = require('bcrypt');

const LOWEST_COST = 4;
const { hash } = bcrypt;
bcrypt.hash = (text) => hash(text, LOWEST_COST);
