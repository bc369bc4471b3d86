/** What `sallyport doctor` says of one thing; the same form in which the launcher's own checks come. */
import { z } from 'zod';

export const CheckSchema = z.strictObject({
  id: z.string(),
  result: z.enum(['pass', 'warn', 'fail']),
  message: z.string(),
  mend: z.string().nullable(),
});
export type Check = z.infer<typeof CheckSchema>;

export const ChecksSchema = z.strictObject({ checks: z.array(CheckSchema) });
