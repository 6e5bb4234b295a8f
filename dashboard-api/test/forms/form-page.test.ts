import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FORM_TEXTS, formPage } from '../../src/forms/form-page.ts'

const script = readFileSync(new URL('../../../command-api/src/forms/embed.js', import.meta.url), 'utf8')

it('has the texts of the script that makes the form', () => {
  for (const [language, texts] of Object.entries(FORM_TEXTS)) {
    const from = script.indexOf(`    ${language}: {`)
    const own = script.slice(from, script.indexOf('    },', from))
    for (const [name, text] of Object.entries(texts)) expect(own).toContain(`${name}: '${text}',`)
  }
})

it('shows the form in its language, says what follows a sign-up, and has nothing that runs', () => {
  const hebrew = formPage('he', { asks: false })
  expect(hebrew).toContain('<html lang="he" dir="rtl">')
  expect(hebrew).toContain(FORM_TEXTS.he.done)
  expect(formPage('en', { asks: true })).toContain(FORM_TEXTS.en.pending)
  expect(hebrew).not.toMatch(/<script|\son\w+=|https?:/)
})
