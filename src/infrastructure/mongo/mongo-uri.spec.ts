import { assertMongoUri, mongoUriFault } from './mongo-uri';

// Errors of packages loaded once per worker (unit.setup.ts) are not instances of this file's Error.
jest.unmock('mongoose').unmock('mongodb');

describe('A MONGODB_URI', () => {
  it.each([
    'mongodb://127.0.0.1/curtail',
    'mongodb://u:p%40ss@[::1]:27017,b/curtail?replicaSet=rs0&retryWrites=true',
    'mongodb://%2Frun%2Fmongo.sock/curtail?directConnection=true',
    'mongodb+srv://u:p@cluster.example.com/curtail',
  ])('may be %s', (uri) => expect(mongoUriFault(uri)).toBeNull());

  it.each([
    ['mongodb+srv://u:p@cluster.example:27017/c', 'mongodb+srv URI cannot have port number'],
    ['mongodb+srv://a,b/c', 'mongodb+srv URI cannot have multiple service names'],
    ['mongodb://127.0.0.1/c?foo=bar', 'option foo is not supported'],
    ['mongodb://h/c?maxPoolSize=many', 'Expected maxPoolSize to be stringified int value'],
    ['mongodb://h/c?tls=maybe', 'tls/ssl must be either "true" or "false"'],
    ['mongodb://a,b/c?directConnection=true', 'directConnection option requires exactly one host'],
    ['mongodb:///c', 'Protocol and host list are required in the uri'],
    ['mongodb://h/a.b', "Database names cannot contain the character '.'"],
  ])("with %s is rejected with the driver's message", (uri, reason) => {
    expect(() => assertMongoUri(uri)).toThrow(`MONGODB_URI="…": cannot be used: ${reason}`);
  });

  it.each([
    'mongodb://me:ge/heim@host/c',
    'mongodb://me:ge?heim=1@host/c',
    'mongodb://me:ge#heim@host/c',
    'mongodb://me:ge@heim@host/c',
    'mongodb://me:ge:heim@host/c',
    'mongodb://me/ge:heim@host/c',
    'mongodb://me:ge%zzheim@host/c',
    'mongodb://me:ge heim/c',
    'mongodb://me:ge:heim/c',
    'mongodb://me:geheim\n@host/c',
    'mongodb://me:p@host/c?authMechanism=geheim',
    'mongodb://me:p@host/c?authMechanismProperties=ge:heim,ENVIRONMENT:heim&authMechanism=MONGODB-OIDC',
    'mongodb://me:p@host/c?compressors=geheim',
  ])('with %j is rejected without any part of the password in the message', (uri) => {
    expect(mongoUriFault(uri)).toMatch(/^(?!.*(?:\bge\b|heim)).+$/);
  });
});
