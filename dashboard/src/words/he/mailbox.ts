import type { mailboxWords as EnglishWords } from '../en/mailbox.ts'

export const mailboxWords: typeof EnglishWords = {
  mailbox: {
    title: 'תיבת הדואר של המחשב הזה',
    help: 'מה ש־Tidings שלח בזמן פיתוח. דבר מזה לא עזב את המחשב.',
    empty: 'עוד לא נשלח דבר. מה שהקוד שלכם ישלח יופיע כאן.',
    refresh: 'רענון',
    clear: 'ריקון התיבה',
    clearTitle: 'לרוקן את התיבה?',
    clearHelp: 'כל ההודעות שבה נמחקות. המצבים שלהן נשארים.',
    to: 'אל',
    from: 'מאת',
    at: 'זמן',
    subject: 'נושא',
    html: 'כפי שנראה',
    text: 'טקסט',
    headers: 'כותרות',
    channel: 'ערוץ',
    all: 'הכול',
    report: 'דיווח',
    reportHelp: 'כמו שהספק היה מדווח:',
    reported: 'דווח.',
    messages: 'הודעות',
    noSubject: '(ללא נושא)',
  },
}
