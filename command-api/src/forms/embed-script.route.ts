import type { App } from '@tidings/http'
import { scriptOf } from '../scripts/script-source.ts'
import { serveScript } from '../scripts/serve-script.ts'

const source = scriptOf([new URL('./embed.js', import.meta.url)])

/** `GET /forms/embed.js` (N10): the same for every workspace, which the script tag names. */
export function embedScript(app: App): void {
  serveScript(app, { path: '/forms/embed.js', source })
}
