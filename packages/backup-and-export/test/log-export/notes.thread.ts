import { serveOpenedParts } from '../../src/log-export/serve-opened-parts.ts'
import { declarations } from './notes.ts'

serveOpenedParts(declarations)
