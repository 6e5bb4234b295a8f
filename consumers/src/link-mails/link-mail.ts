import { escapeHtml } from '@tidings/domain'
import type { EmailMessage } from '@tidings/providers'
import type { LinkMail } from '@tidings/sign-in'

type Content = Pick<EmailMessage, 'subject' | 'html' | 'text'>
type Words = Readonly<{
  subject: (name: string) => string
  says: (name: string, email: string) => string
  act: string
  ends: string
}>

const ENGLISH: Readonly<Record<LinkMail['reason'], Words>> = {
  invitation: {
    subject: (name) => `You are invited to ${name}`,
    says: (name, email) => `You can now sign in to ${name} as ${email}.`,
    act: 'Sign in and choose a password',
    ends: 'The link signs in once, within 7 days. If you did not expect this mail, do nothing.',
  },
  link: {
    subject: (name) => `Sign in to ${name}`,
    says: (name, email) => `An owner of ${name} has made a link with which you sign in as ${email}.`,
    act: 'Sign in',
    ends: 'The link signs in once, within an hour. If you did not expect this mail, do nothing.',
  },
}

const HEBREW: typeof ENGLISH = {
  invitation: {
    subject: (name) => `הוזמנת אל ${name}`,
    says: (name, email) => `מעכשיו אפשר להיכנס אל ${name} בתור ${email}.`,
    act: 'כניסה ובחירת סיסמה',
    ends: 'הקישור מכניס פעם אחת, בתוך 7 ימים. אם לא ציפית להודעה הזאת, אין צורך לעשות דבר.',
  },
  link: {
    subject: (name) => `כניסה אל ${name}`,
    says: (name, email) => `בעלים של ${name} יצרו עבורך קישור שנכנסים איתו בתור ${email}.`,
    act: 'כניסה',
    ends: 'הקישור מכניס פעם אחת, בתוך שעה. אם לא ציפית להודעה הזאת, אין צורך לעשות דבר.',
  },
}

const isolatedText = (text: string): string => `\u2068${text}\u2069`
const isolatedHtml = (text: string): string => `<bdi>${escapeHtml(text)}</bdi>`

/** What the mail with a link says. `name`: of the workspace, on one line, without marks of direction. */
export function linkMailContent(
  { reason, language }: Pick<LinkMail, 'reason' | 'language'>,
  { name, email, url }: Readonly<{ name: string; email: string; url: string }>,
): Content {
  const { subject, says, act, ends } = (language === 'he' ? HEBREW : ENGLISH)[reason]
  return {
    subject: subject(name),
    html: `<div lang="${language}" dir="${language === 'he' ? 'rtl' : 'ltr'}">
<p>${says(isolatedHtml(name), isolatedHtml(email))}</p>
<p><a href="${escapeHtml(url)}">${act}</a></p>
<p>${ends}</p>
</div>`,
    text: `${says(isolatedText(name), isolatedText(email))}

${act}:
${url}

${ends}
`,
  }
}
