import { pagesIn } from './pages.ts'

const english = {
  ask: {
    title: 'Send from this address?',
    text: 'Somebody wants to send mail from the address that this link was sent to. Confirm it only if that is right.',
    button: 'Yes, it is mine',
  },
  done: { title: 'The address is confirmed', text: 'Thank you. Mail can be sent from it now.' },
  expired: { title: 'This link is too old', text: 'Ask for another email, and use the link in it.' },
  unknown: { title: 'This link is not known', text: 'Please use the link of the newest email.' },
  later: { title: 'Please try again', text: 'We could not note it down just now. Please go back and try again in a moment.' },
}

const hebrew: typeof english = {
  ask: {
    title: 'לשלוח מהכתובת הזאת?',
    text: 'מישהו מבקש לשלוח דואר מהכתובת שאליה נשלח הקישור. יש לאשר רק אם זה נכון.',
    button: 'כן, הכתובת שלי',
  },
  done: { title: 'הכתובת אושרה', text: 'תודה. אפשר לשלוח ממנה דואר.' },
  expired: { title: 'הקישור ישן מדי', text: 'נא לבקש הודעה חדשה ולהשתמש בקישור שבה.' },
  unknown: { title: 'הקישור אינו מוכר', text: 'נא להשתמש בקישור מההודעה החדשה ביותר.' },
  later: { title: 'נא לנסות שוב', text: 'לא הצלחנו לשמור את הבקשה כרגע. נא לחזור ולנסות שוב בעוד רגע.' },
}

/** The pages behind the link of the mail that asks the mailbox of a sender address (M14). */
export const verifyPage = pagesIn({ english, hebrew })
