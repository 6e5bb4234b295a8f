import { appendContext } from '@tidings/administration'
import { OtpVerification, VerifyOtpBody } from '@tidings/contracts'
import { asVerificationId } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'otp.verify',
  summary: 'Verify a one-time passcode',
  tags: ['otp'],
  body: VerifyOtpBody,
  response: { 200: OtpVerification },
}

/** Whatever the id and the code are, the answer is 200 and says whether they fit. */
export function verifyOtp(app: App, deps: Dependencies): void {
  app.post('/otp/verify', { schema }, async (request) => {
    const { verificationId, code } = request.body
    return await deps.passcodes.verify({
      context: appendContext(request, deps.now()),
      verificationId: asVerificationId(verificationId),
      code,
    })
  })
}
