/*
 * sha256.h -- the SHA-256 of a text, as FIPS 180-4 has it.
 *
 * Context: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_SHA256_H
#define THAG_AN_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define AN_SHA256_BYTES 32

void an_sha256(const void *text, size_t bytes, uint8_t ret_digest[AN_SHA256_BYTES]);

#endif
