// Writes the generated sections of the documentation anew. Run it when the test beside it says that one is out of date:
//   node test/docs/write.ts
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT, readPage, withSection } from './markdown.ts'
import { generated, generatedFiles } from './pages.ts'

for (const { page, section, text } of generated) {
  const before = readPage(page)
  const after = withSection(before, section, text())
  if (after === before) continue
  writeFileSync(`${ROOT}${page}`, after)
  process.stdout.write(`${page}: ${section}\n`)
}

for (const { path, text } of generatedFiles) {
  const [file, after] = [`${ROOT}${path}`, text()]
  if (existsSync(file) && readFileSync(file, 'utf8') === after) continue
  writeFileSync(file, after)
  process.stdout.write(`${path}\n`)
}
