// Writes docs/images/embedded-form.png: node test/docs/write-form-image.ts. It needs Chromium.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findChromium, launch } from '../e2e/support/browser.ts'
import { ROOT } from './markdown.ts'

const FILE = `${ROOT}docs/images/embedded-form.png`
const script = readFileSync(`${ROOT}command-api/src/forms/embed.js`)

const tag = (target: string, lang: string) =>
  `<script src="/forms/embed.js" data-tenant="acme" data-key="pk_evt_" data-target="#${target}" data-lang="${lang}"></script>`
const PAGE = `<!doctype html><meta charset="utf-8"><style>
  body { font: 16px/1.5 'DejaVu Sans', sans-serif; margin: 0; padding: 16px; color: #1c2330 }
  section { border: 1px solid #c8ccd4; border-radius: 6px; padding: 12px 16px; margin-block-end: 12px } h2 { font-size: 16px; margin: 0 0 8px }
</style><section id="en"><h2>Shop news</h2></section><section id="he" dir="rtl" lang="he"><h2>חדשות החנות</h2></section>
${tag('en', 'en')}${tag('he', 'he')}`

const server = createServer(({ url }, response) => {
  const isScript = url === '/forms/embed.js'
  response.writeHead(200, { 'content-type': `${isScript ? 'text/javascript' : 'text/html'}; charset=utf-8` }).end(isScript ? script : PAGE)
})
const chromium = findChromium()
if (chromium === null) throw new Error('there is no Chromium on the PATH')
await once(server.listen(0, '127.0.0.1'), 'listening')
const browser = await launch(chromium)
try {
  const page = await browser.newPage({ viewport: { width: 560, height: 260 } })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.locator('#en input[type=email]').fill('ada')
  await page.locator('#en button').click()
  await page.locator('#he input[type=email]').fill('ada@example.com')
  await page.screenshot({ path: FILE, fullPage: true })
} finally {
  await browser.close()
  server.closeAllConnections()
  server.close()
}
