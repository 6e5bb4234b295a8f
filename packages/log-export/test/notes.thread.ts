import { serveOpenedParts } from '../src/serve-opened-parts.ts'
import { declarations } from './notes.ts'

serveOpenedParts(declarations)
