import type { FastifyReply } from 'fastify'
import type { PageLanguage } from './page-language.ts'
import { PRIVATE_HEADERS } from './public-route.ts'

type Language = Readonly<{ lang: PageLanguage; dir: 'ltr' | 'rtl' }>

/** A page of its own, without a script. `title` and `body` are html. */
function htmlPage(title: string, body: string, { lang, dir }: Language): string {
  return `<!doctype html>
<html lang="${lang}" dir="${dir}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
  body { font: 17px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 28rem; padding: 0 1rem; text-align: center; color: #1c2330 }
  button { font: inherit; padding: .6rem 1.4rem; border: 0; border-radius: .4rem; background: #1c2330; color: #fff; cursor: pointer }
</style>
<h1>${title}</h1>
${body}
</html>
`
}

type Body = Readonly<{ text: string; button?: string }>
type Page = Body & Readonly<{ title: string }>

/** A page's button posts to its own address, token and all. */
const bodyOf = ({ text, button }: Body): string =>
  `<p>${text}</p>${button === undefined ? '' : `\n<form method="post"><input type="hidden" name="confirm" value="yes"><button>${button}</button></form>`}`

/** Pages by name and language. */
export function pagesIn<Name extends string>({ english, hebrew }: Readonly<Record<'english' | 'hebrew', Readonly<Record<Name, Page>>>>) {
  return (name: Name, language: PageLanguage): string => {
    const page = (language === 'he' ? hebrew : english)[name]
    return htmlPage(page.title, bodyOf(page), { lang: language, dir: language === 'he' ? 'rtl' : 'ltr' })
  }
}

/** No script, nothing from elsewhere, and no other page may put a frame around the button. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
} as const

export function answerPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...PRIVATE_HEADERS, ...PAGE_HEADERS })
    .send(html)
}
