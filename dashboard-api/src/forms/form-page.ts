type Language = 'en' | 'he'

/** The texts of `/forms/embed.js`; a test compares them. `done` and `pending`: what it says after a sign-up, at once or until a confirmation. */
export const FORM_TEXTS: Readonly<Record<Language, Readonly<Record<'email' | 'send' | 'done' | 'pending', string>>>> = {
  en: {
    email: 'Email address',
    send: 'Subscribe',
    done: 'Thank you, you are subscribed.',
    pending: 'Almost done: please use the link in the email that we have sent you.',
  },
  he: {
    email: 'כתובת דואר אלקטרוני',
    send: 'הרשמה',
    done: 'תודה, נרשמתם בהצלחה.',
    pending: 'כמעט סיימנו: נא ללחוץ על הקישור שבהודעה ששלחנו אליכם.',
  },
}

const STYLE = `body { margin: 16px; font: 16px/1.5 sans-serif; color: #222; background: #fff }
form { display: flex; flex-wrap: wrap; gap: .5em; align-items: center }
input, button { font: inherit; padding: .4em .6em }
input { flex: 1 1 12em; min-inline-size: 0 }
p { flex-basis: 100%; margin: 0 }`

/** A page with the form that `/forms/embed.js` makes, and what it says after a sign-up. Nothing in it runs, and nothing can be sent. */
export function formPage(language: Language, { asks }: Readonly<{ asks: boolean }>): string {
  const { email, send, done, pending } = FORM_TEXTS[language]
  const direction = language === 'he' ? 'rtl' : 'ltr'
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${send}</title><style>${STYLE}</style></head>
<body><main><form class="tidings-form"><label for="email">${email}</label>
<input id="email" type="email" name="email" autocomplete="off" maxlength="320" dir="auto"><button type="button">${send}</button>
<p>${asks ? pending : done}</p></form></main></body>
</html>
`
}
