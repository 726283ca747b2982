import { type RequestHandler, urlencoded } from 'express';
import multer from 'multer';
import { BODY_LIMIT, deferFaults } from './body-parsers';

/** Reads url-encoded and multipart forms into `request.body`; files are refused. */
export function formBodies(): RequestHandler[] {
  return [
    deferFaults(urlencoded({ limit: BODY_LIMIT, extended: false, parameterLimit: 100 })),
    deferFaults(multer({ limits: { fieldSize: BODY_LIMIT, fields: 100, parts: 100 } }).none()),
  ];
}
