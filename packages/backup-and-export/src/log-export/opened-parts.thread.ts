import { eventDeclarations } from '@tidings/domain'
import { serveOpenedParts } from './serve-opened-parts.ts'

serveOpenedParts(eventDeclarations)
