import type { FastifyReply } from 'fastify'
import { PRIVATE_HEADERS } from './public-route.ts'

type Language = Readonly<{ lang: string; dir: 'ltr' | 'rtl' }>

/** A page of its own, without a script. `title` and `body` are html. */
function htmlPage(title: string, body: string, { lang, dir }: Language = { lang: 'en', dir: 'ltr' }): string {
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

/** Pages by name: in Hebrew where the browser asks for it first, else in English. */
export function pagesIn<Name extends string>({ english, hebrew }: Readonly<Record<'english' | 'hebrew', Readonly<Record<Name, Page>>>>) {
  return (name: Name, acceptLanguage: string | undefined): string => {
    const isHebrew = /^\s*(?:he|iw)\b/i.test(acceptLanguage ?? '')
    const page = (isHebrew ? hebrew : english)[name]
    return htmlPage(page.title, bodyOf(page), isHebrew ? { lang: 'he', dir: 'rtl' } : { lang: 'en', dir: 'ltr' })
  }
}

/** Its only button posts to the page's own address, token and all. */
export const askPage = htmlPage(
  'Unsubscribe?',
  bodyOf({ text: 'You will get no more newsletters and offers from this sender by email.', button: 'Unsubscribe' }),
)
export const donePage = htmlPage('You are unsubscribed', '<p>You will get no more newsletters and offers from this sender by email.</p>')
export const laterPage = htmlPage(
  'Please try again',
  '<p>We could not note it down just now. Please go back and try again in a moment.</p>',
)
export const unknownPage = htmlPage('This link is not known', '<p>Please use the link of a newer email, or write to its sender.</p>')

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
