/* A security key made of software, for tests: OpenSSH loads it as SSH_SK_PROVIDER in place of the library that talks to
 * real hardware. The key handle is the private seed. INTERLOCK_TEST_UNTOUCHED makes signatures without a touch. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SK_ED25519 0x01
#define SK_UNSUPPORTED (-2)
#define SK_FAILED (-1)
#ifndef SK_VERSION
#define SK_VERSION 0x00090000
#endif

struct sk_enroll_response {
    uint8_t flags;
    uint8_t *public_key;
    size_t public_key_len;
    uint8_t *key_handle;
    size_t key_handle_len;
    uint8_t *signature;
    size_t signature_len;
    uint8_t *attestation_cert;
    size_t attestation_cert_len;
    uint8_t *authdata;
    size_t authdata_len;
};

struct sk_sign_response {
    uint8_t flags;
    uint32_t counter;
    uint8_t *sig_r;
    size_t sig_r_len;
    uint8_t *sig_s;
    size_t sig_s_len;
};

/* What is needed of libcrypto, so that its headers are not. */
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_md_ctx_st EVP_MD_CTX;
#define EVP_PKEY_ED25519 1087
EVP_PKEY *EVP_PKEY_new_raw_private_key(int, void *, const unsigned char *, size_t);
int EVP_PKEY_get_raw_public_key(const EVP_PKEY *, unsigned char *, size_t *);
void EVP_PKEY_free(EVP_PKEY *);
EVP_MD_CTX *EVP_MD_CTX_new(void);
void EVP_MD_CTX_free(EVP_MD_CTX *);
int EVP_DigestSignInit(EVP_MD_CTX *, void **, const void *, void *, EVP_PKEY *);
int EVP_DigestSign(EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);
unsigned char *SHA256(const unsigned char *, size_t, unsigned char *);
int RAND_bytes(unsigned char *, int);

uint32_t sk_api_version(void) { return SK_VERSION; }

static uint8_t *copy(const uint8_t *from, size_t count) {
    uint8_t *to = malloc(count);
    if (to != NULL) memcpy(to, from, count);
    return to;
}

int sk_enroll(uint32_t alg, const uint8_t *challenge, size_t challenge_len, const char *application, uint8_t flags,
              const char *pin, void **options, struct sk_enroll_response **made) {
    uint8_t seed[32], public_key[32];
    size_t count = sizeof public_key;
    (void)challenge; (void)challenge_len; (void)application; (void)pin; (void)options;
    if (alg != SK_ED25519) return SK_UNSUPPORTED;
    if (RAND_bytes(seed, sizeof seed) != 1) return SK_FAILED;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
    if (key == NULL || EVP_PKEY_get_raw_public_key(key, public_key, &count) != 1) return SK_FAILED;
    EVP_PKEY_free(key);
    struct sk_enroll_response *response = calloc(1, sizeof *response);
    if (response == NULL) return SK_FAILED;
    response->flags = flags;
    response->public_key = copy(public_key, count);
    response->public_key_len = count;
    response->key_handle = copy(seed, sizeof seed);
    response->key_handle_len = sizeof seed;
    response->signature = copy(seed, 1); /* no attestation: nothing here is hardware */
    response->signature_len = 1;
    *made = response;
    return 0;
}

int sk_sign(uint32_t alg, const uint8_t *data, size_t data_len, const char *application, const uint8_t *handle,
            size_t handle_len, uint8_t flags, const char *pin, void **options, struct sk_sign_response **made) {
    uint8_t message[32 + 1 + 4 + 32], signature[64];
    size_t count = sizeof signature;
    (void)flags; (void)pin; (void)options;
    if (alg != SK_ED25519) return SK_UNSUPPORTED;
    uint8_t touched = getenv("INTERLOCK_TEST_UNTOUCHED") == NULL ? 0x01 : 0x00;
    SHA256((const unsigned char *)application, strlen(application), message);
    message[32] = touched;
    memcpy(message + 33, "\0\0\0\7", 4);
    SHA256(data, data_len, message + 37);
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, handle, handle_len);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (key == NULL || context == NULL || EVP_DigestSignInit(context, NULL, NULL, NULL, key) != 1 ||
        EVP_DigestSign(context, signature, &count, message, sizeof message) != 1)
        return SK_FAILED;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    struct sk_sign_response *response = calloc(1, sizeof *response);
    if (response == NULL) return SK_FAILED;
    response->flags = touched;
    response->counter = 7;
    response->sig_r = copy(signature, count);
    response->sig_r_len = count;
    *made = response;
    return 0;
}

int sk_load_resident_keys(const char *pin, void **options, void ***keys, size_t *count) {
    (void)pin; (void)options;
    *keys = NULL;
    *count = 0;
    return 0;
}
