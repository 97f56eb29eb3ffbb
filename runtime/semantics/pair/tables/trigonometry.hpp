// Of the trigonometric functions. Written by generate/tables.py, which says how and how exact.
#pragma once

#include "runtime/semantics/pair/limb.hpp"

// clang-format off

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

/// sin(k pi/64) and cos(k pi/64) for k from 0 to 127, in three limbs each.
template <class T>
struct Circle;
template <>
struct Circle<float> {
  static constexpr float limbs[] = {
    0.0F, 0.0F, 0.0F, 0x1p0F, 0.0F, 0.0F, 0xc8fb3p-24F, -0xef227fp-53F, 0xf9bb51p-79F, 0xffb10fp-24F, 0xde5b5fp-51F,
    0x78ea11p-75F, 0x645e9bp-26F, -0xf592f5p-54F, -0xf138c7p-83F, 0xfec46dp-24F, 0xf44949p-51F, 0x33c105p-74F,
    0x964083p-26F, 0x3a3985p-49F, -0x2eedp-66F, 0x3f4eabp-22F, -0xf75ae9p-53F, -0x5e82a3p-77F, 0x63e2e1p-25F,
    -0xe5967dp-53F, -0xa4da33p-78F, 0x7d8a5fp-23F, 0xff75cbp-49F, 0xab10b9p-79F, 0x3e33f3p-24F, -0x9bd41dp-52F,
    0xabd211p-77F, 0x1f0a7fp-21F, -0x8db9e5p-50F, -0x6ad385p-76F, 0x94a031p-25F, 0xed59fp-46F, 0xb516b9p-75F,
    0xf4fa0bp-24F, -0x49ce91p-48F, -0xb44fa7p-74F, 0x2b1f35p-23F, -0x52a701p-49F, -0xc07bf7p-76F, 0x1e2121p-21F,
    0x9ed0ddp-50F, -0xd014c7p-75F, 0xc3ef15p-25F, 0x35754bp-49F, 0xb46989p-76F, 0x7641afp-23F, 0x3cca35p-47F,
    0x628afdp-73F, 0x1b5d1p-18F, 0x278573p-48F, 0x56cd8bp-79F, 0x1ced7bp-21F, -0xbc3389p-49F, 0xbc3093p-75F,
    0x78ad75p-24F, -0xff2139p-51F, 0x63c1b1p-75F, 0x1c38b3p-21F, -0xe7f425p-49F, 0xd23e9dp-77F, 0x839c3dp-24F,
    -0x6dd001p-49F, -0x9a5a01p-75F, 0x6dca0dp-23F, 0x1465b9p-47F, -0x9bc69fp-75F, 0x471cedp-23F, -0xca32e7p-50F,
    0xd92ee9p-78F, 0xd4db31p-24F, 0x48750dp-48F, 0x6067d9p-74F, 0x261ffp-18F, -0xc7a3f3p-51F, 0x70819dp-76F,
    0x66cf81p-23F, 0x1fce1dp-47F, 0x59e23bp-76F, 0xa26799p-24F, 0xa123bbp-50F, -0xf3fc4bp-76F, 0xc5e403p-24F,
    0x2c545dp-47F, 0xb4e87bp-77F, 0x55f5a5p-23F, -0x5b989bp-48F, -0xbab905p-78F, 0xbdaef9p-24F, 0x26aafbp-49F,
    -0x121ea7p-73F, 0xb504f3p-24F, 0x67f3bdp-49F, -0x36f74dp-73F, 0xb504f3p-24F, 0x67f3bdp-49F, -0x36f74dp-73F,
    0xbdaef9p-24F, 0x26aafbp-49F, -0x121ea7p-73F, 0x55f5a5p-23F, -0x5b989bp-48F, -0xbab905p-78F, 0xc5e403p-24F,
    0x2c545dp-47F, 0xb4e87bp-77F, 0xa26799p-24F, 0xa123bbp-50F, -0xf3fc4bp-76F, 0x66cf81p-23F, 0x1fce1dp-47F,
    0x59e23bp-76F, 0x261ffp-18F, -0xc7a3f3p-51F, 0x70819dp-76F, 0xd4db31p-24F, 0x48750dp-48F, 0x6067d9p-74F,
    0x471cedp-23F, -0xca32e7p-50F, 0xd92ee9p-78F, 0x6dca0dp-23F, 0x1465b9p-47F, -0x9bc69fp-75F, 0x839c3dp-24F,
    -0x6dd001p-49F, -0x9a5a01p-75F, 0x1c38b3p-21F, -0xe7f425p-49F, 0xd23e9dp-77F, 0x78ad75p-24F, -0xff2139p-51F,
    0x63c1b1p-75F, 0x1ced7bp-21F, -0xbc3389p-49F, 0xbc3093p-75F, 0x1b5d1p-18F, 0x278573p-48F, 0x56cd8bp-79F,
    0x7641afp-23F, 0x3cca35p-47F, 0x628afdp-73F, 0xc3ef15p-25F, 0x35754bp-49F, 0xb46989p-76F, 0x1e2121p-21F,
    0x9ed0ddp-50F, -0xd014c7p-75F, 0x2b1f35p-23F, -0x52a701p-49F, -0xc07bf7p-76F, 0xf4fa0bp-24F, -0x49ce91p-48F,
    -0xb44fa7p-74F, 0x94a031p-25F, 0xed59fp-46F, 0xb516b9p-75F, 0x1f0a7fp-21F, -0x8db9e5p-50F, -0x6ad385p-76F,
    0x3e33f3p-24F, -0x9bd41dp-52F, 0xabd211p-77F, 0x7d8a5fp-23F, 0xff75cbp-49F, 0xab10b9p-79F, 0x63e2e1p-25F,
    -0xe5967dp-53F, -0xa4da33p-78F, 0x3f4eabp-22F, -0xf75ae9p-53F, -0x5e82a3p-77F, 0x964083p-26F, 0x3a3985p-49F,
    -0x2eedp-66F, 0xfec46dp-24F, 0xf44949p-51F, 0x33c105p-74F, 0x645e9bp-26F, -0xf592f5p-54F, -0xf138c7p-83F,
    0xffb10fp-24F, 0xde5b5fp-51F, 0x78ea11p-75F, 0xc8fb3p-24F, -0xef227fp-53F, 0xf9bb51p-79F, 0x1p0F, 0.0F, 0.0F,
    0.0F, 0.0F, 0.0F, 0xffb10fp-24F, 0xde5b5fp-51F, 0x78ea11p-75F, -0xc8fb3p-24F, 0xef227fp-53F, -0xf9bb51p-79F,
    0xfec46dp-24F, 0xf44949p-51F, 0x33c105p-74F, -0x645e9bp-26F, 0xf592f5p-54F, 0xf138c7p-83F, 0x3f4eabp-22F,
    -0xf75ae9p-53F, -0x5e82a3p-77F, -0x964083p-26F, -0x3a3985p-49F, 0x2eedp-66F, 0x7d8a5fp-23F, 0xff75cbp-49F,
    0xab10b9p-79F, -0x63e2e1p-25F, 0xe5967dp-53F, 0xa4da33p-78F, 0x1f0a7fp-21F, -0x8db9e5p-50F, -0x6ad385p-76F,
    -0x3e33f3p-24F, 0x9bd41dp-52F, -0xabd211p-77F, 0xf4fa0bp-24F, -0x49ce91p-48F, -0xb44fa7p-74F, -0x94a031p-25F,
    -0xed59fp-46F, -0xb516b9p-75F, 0x1e2121p-21F, 0x9ed0ddp-50F, -0xd014c7p-75F, -0x2b1f35p-23F, 0x52a701p-49F,
    0xc07bf7p-76F, 0x7641afp-23F, 0x3cca35p-47F, 0x628afdp-73F, -0xc3ef15p-25F, -0x35754bp-49F, -0xb46989p-76F,
    0x1ced7bp-21F, -0xbc3389p-49F, 0xbc3093p-75F, -0x1b5d1p-18F, -0x278573p-48F, -0x56cd8bp-79F, 0x1c38b3p-21F,
    -0xe7f425p-49F, 0xd23e9dp-77F, -0x78ad75p-24F, 0xff2139p-51F, -0x63c1b1p-75F, 0x6dca0dp-23F, 0x1465b9p-47F,
    -0x9bc69fp-75F, -0x839c3dp-24F, 0x6dd001p-49F, 0x9a5a01p-75F, 0xd4db31p-24F, 0x48750dp-48F, 0x6067d9p-74F,
    -0x471cedp-23F, 0xca32e7p-50F, -0xd92ee9p-78F, 0x66cf81p-23F, 0x1fce1dp-47F, 0x59e23bp-76F, -0x261ffp-18F,
    0xc7a3f3p-51F, -0x70819dp-76F, 0xc5e403p-24F, 0x2c545dp-47F, 0xb4e87bp-77F, -0xa26799p-24F, -0xa123bbp-50F,
    0xf3fc4bp-76F, 0xbdaef9p-24F, 0x26aafbp-49F, -0x121ea7p-73F, -0x55f5a5p-23F, 0x5b989bp-48F, 0xbab905p-78F,
    0xb504f3p-24F, 0x67f3bdp-49F, -0x36f74dp-73F, -0xb504f3p-24F, -0x67f3bdp-49F, 0x36f74dp-73F, 0x55f5a5p-23F,
    -0x5b989bp-48F, -0xbab905p-78F, -0xbdaef9p-24F, -0x26aafbp-49F, 0x121ea7p-73F, 0xa26799p-24F, 0xa123bbp-50F,
    -0xf3fc4bp-76F, -0xc5e403p-24F, -0x2c545dp-47F, -0xb4e87bp-77F, 0x261ffp-18F, -0xc7a3f3p-51F, 0x70819dp-76F,
    -0x66cf81p-23F, -0x1fce1dp-47F, -0x59e23bp-76F, 0x471cedp-23F, -0xca32e7p-50F, 0xd92ee9p-78F, -0xd4db31p-24F,
    -0x48750dp-48F, -0x6067d9p-74F, 0x839c3dp-24F, -0x6dd001p-49F, -0x9a5a01p-75F, -0x6dca0dp-23F, -0x1465b9p-47F,
    0x9bc69fp-75F, 0x78ad75p-24F, -0xff2139p-51F, 0x63c1b1p-75F, -0x1c38b3p-21F, 0xe7f425p-49F, -0xd23e9dp-77F,
    0x1b5d1p-18F, 0x278573p-48F, 0x56cd8bp-79F, -0x1ced7bp-21F, 0xbc3389p-49F, -0xbc3093p-75F, 0xc3ef15p-25F,
    0x35754bp-49F, 0xb46989p-76F, -0x7641afp-23F, -0x3cca35p-47F, -0x628afdp-73F, 0x2b1f35p-23F, -0x52a701p-49F,
    -0xc07bf7p-76F, -0x1e2121p-21F, -0x9ed0ddp-50F, 0xd014c7p-75F, 0x94a031p-25F, 0xed59fp-46F, 0xb516b9p-75F,
    -0xf4fa0bp-24F, 0x49ce91p-48F, 0xb44fa7p-74F, 0x3e33f3p-24F, -0x9bd41dp-52F, 0xabd211p-77F, -0x1f0a7fp-21F,
    0x8db9e5p-50F, 0x6ad385p-76F, 0x63e2e1p-25F, -0xe5967dp-53F, -0xa4da33p-78F, -0x7d8a5fp-23F, -0xff75cbp-49F,
    -0xab10b9p-79F, 0x964083p-26F, 0x3a3985p-49F, -0x2eedp-66F, -0x3f4eabp-22F, 0xf75ae9p-53F, 0x5e82a3p-77F,
    0x645e9bp-26F, -0xf592f5p-54F, -0xf138c7p-83F, -0xfec46dp-24F, -0xf44949p-51F, -0x33c105p-74F, 0xc8fb3p-24F,
    -0xef227fp-53F, 0xf9bb51p-79F, -0xffb10fp-24F, -0xde5b5fp-51F, -0x78ea11p-75F, 0.0F, 0.0F, 0.0F, -0x1p0F, 0.0F,
    0.0F, -0xc8fb3p-24F, 0xef227fp-53F, -0xf9bb51p-79F, -0xffb10fp-24F, -0xde5b5fp-51F, -0x78ea11p-75F,
    -0x645e9bp-26F, 0xf592f5p-54F, 0xf138c7p-83F, -0xfec46dp-24F, -0xf44949p-51F, -0x33c105p-74F, -0x964083p-26F,
    -0x3a3985p-49F, 0x2eedp-66F, -0x3f4eabp-22F, 0xf75ae9p-53F, 0x5e82a3p-77F, -0x63e2e1p-25F, 0xe5967dp-53F,
    0xa4da33p-78F, -0x7d8a5fp-23F, -0xff75cbp-49F, -0xab10b9p-79F, -0x3e33f3p-24F, 0x9bd41dp-52F, -0xabd211p-77F,
    -0x1f0a7fp-21F, 0x8db9e5p-50F, 0x6ad385p-76F, -0x94a031p-25F, -0xed59fp-46F, -0xb516b9p-75F, -0xf4fa0bp-24F,
    0x49ce91p-48F, 0xb44fa7p-74F, -0x2b1f35p-23F, 0x52a701p-49F, 0xc07bf7p-76F, -0x1e2121p-21F, -0x9ed0ddp-50F,
    0xd014c7p-75F, -0xc3ef15p-25F, -0x35754bp-49F, -0xb46989p-76F, -0x7641afp-23F, -0x3cca35p-47F, -0x628afdp-73F,
    -0x1b5d1p-18F, -0x278573p-48F, -0x56cd8bp-79F, -0x1ced7bp-21F, 0xbc3389p-49F, -0xbc3093p-75F, -0x78ad75p-24F,
    0xff2139p-51F, -0x63c1b1p-75F, -0x1c38b3p-21F, 0xe7f425p-49F, -0xd23e9dp-77F, -0x839c3dp-24F, 0x6dd001p-49F,
    0x9a5a01p-75F, -0x6dca0dp-23F, -0x1465b9p-47F, 0x9bc69fp-75F, -0x471cedp-23F, 0xca32e7p-50F, -0xd92ee9p-78F,
    -0xd4db31p-24F, -0x48750dp-48F, -0x6067d9p-74F, -0x261ffp-18F, 0xc7a3f3p-51F, -0x70819dp-76F, -0x66cf81p-23F,
    -0x1fce1dp-47F, -0x59e23bp-76F, -0xa26799p-24F, -0xa123bbp-50F, 0xf3fc4bp-76F, -0xc5e403p-24F, -0x2c545dp-47F,
    -0xb4e87bp-77F, -0x55f5a5p-23F, 0x5b989bp-48F, 0xbab905p-78F, -0xbdaef9p-24F, -0x26aafbp-49F, 0x121ea7p-73F,
    -0xb504f3p-24F, -0x67f3bdp-49F, 0x36f74dp-73F, -0xb504f3p-24F, -0x67f3bdp-49F, 0x36f74dp-73F, -0xbdaef9p-24F,
    -0x26aafbp-49F, 0x121ea7p-73F, -0x55f5a5p-23F, 0x5b989bp-48F, 0xbab905p-78F, -0xc5e403p-24F, -0x2c545dp-47F,
    -0xb4e87bp-77F, -0xa26799p-24F, -0xa123bbp-50F, 0xf3fc4bp-76F, -0x66cf81p-23F, -0x1fce1dp-47F, -0x59e23bp-76F,
    -0x261ffp-18F, 0xc7a3f3p-51F, -0x70819dp-76F, -0xd4db31p-24F, -0x48750dp-48F, -0x6067d9p-74F, -0x471cedp-23F,
    0xca32e7p-50F, -0xd92ee9p-78F, -0x6dca0dp-23F, -0x1465b9p-47F, 0x9bc69fp-75F, -0x839c3dp-24F, 0x6dd001p-49F,
    0x9a5a01p-75F, -0x1c38b3p-21F, 0xe7f425p-49F, -0xd23e9dp-77F, -0x78ad75p-24F, 0xff2139p-51F, -0x63c1b1p-75F,
    -0x1ced7bp-21F, 0xbc3389p-49F, -0xbc3093p-75F, -0x1b5d1p-18F, -0x278573p-48F, -0x56cd8bp-79F, -0x7641afp-23F,
    -0x3cca35p-47F, -0x628afdp-73F, -0xc3ef15p-25F, -0x35754bp-49F, -0xb46989p-76F, -0x1e2121p-21F, -0x9ed0ddp-50F,
    0xd014c7p-75F, -0x2b1f35p-23F, 0x52a701p-49F, 0xc07bf7p-76F, -0xf4fa0bp-24F, 0x49ce91p-48F, 0xb44fa7p-74F,
    -0x94a031p-25F, -0xed59fp-46F, -0xb516b9p-75F, -0x1f0a7fp-21F, 0x8db9e5p-50F, 0x6ad385p-76F, -0x3e33f3p-24F,
    0x9bd41dp-52F, -0xabd211p-77F, -0x7d8a5fp-23F, -0xff75cbp-49F, -0xab10b9p-79F, -0x63e2e1p-25F, 0xe5967dp-53F,
    0xa4da33p-78F, -0x3f4eabp-22F, 0xf75ae9p-53F, 0x5e82a3p-77F, -0x964083p-26F, -0x3a3985p-49F, 0x2eedp-66F,
    -0xfec46dp-24F, -0xf44949p-51F, -0x33c105p-74F, -0x645e9bp-26F, 0xf592f5p-54F, 0xf138c7p-83F, -0xffb10fp-24F,
    -0xde5b5fp-51F, -0x78ea11p-75F, -0xc8fb3p-24F, 0xef227fp-53F, -0xf9bb51p-79F, -0x1p0F, 0.0F, 0.0F, 0.0F, 0.0F,
    0.0F, -0xffb10fp-24F, -0xde5b5fp-51F, -0x78ea11p-75F, 0xc8fb3p-24F, -0xef227fp-53F, 0xf9bb51p-79F,
    -0xfec46dp-24F, -0xf44949p-51F, -0x33c105p-74F, 0x645e9bp-26F, -0xf592f5p-54F, -0xf138c7p-83F, -0x3f4eabp-22F,
    0xf75ae9p-53F, 0x5e82a3p-77F, 0x964083p-26F, 0x3a3985p-49F, -0x2eedp-66F, -0x7d8a5fp-23F, -0xff75cbp-49F,
    -0xab10b9p-79F, 0x63e2e1p-25F, -0xe5967dp-53F, -0xa4da33p-78F, -0x1f0a7fp-21F, 0x8db9e5p-50F, 0x6ad385p-76F,
    0x3e33f3p-24F, -0x9bd41dp-52F, 0xabd211p-77F, -0xf4fa0bp-24F, 0x49ce91p-48F, 0xb44fa7p-74F, 0x94a031p-25F,
    0xed59fp-46F, 0xb516b9p-75F, -0x1e2121p-21F, -0x9ed0ddp-50F, 0xd014c7p-75F, 0x2b1f35p-23F, -0x52a701p-49F,
    -0xc07bf7p-76F, -0x7641afp-23F, -0x3cca35p-47F, -0x628afdp-73F, 0xc3ef15p-25F, 0x35754bp-49F, 0xb46989p-76F,
    -0x1ced7bp-21F, 0xbc3389p-49F, -0xbc3093p-75F, 0x1b5d1p-18F, 0x278573p-48F, 0x56cd8bp-79F, -0x1c38b3p-21F,
    0xe7f425p-49F, -0xd23e9dp-77F, 0x78ad75p-24F, -0xff2139p-51F, 0x63c1b1p-75F, -0x6dca0dp-23F, -0x1465b9p-47F,
    0x9bc69fp-75F, 0x839c3dp-24F, -0x6dd001p-49F, -0x9a5a01p-75F, -0xd4db31p-24F, -0x48750dp-48F, -0x6067d9p-74F,
    0x471cedp-23F, -0xca32e7p-50F, 0xd92ee9p-78F, -0x66cf81p-23F, -0x1fce1dp-47F, -0x59e23bp-76F, 0x261ffp-18F,
    -0xc7a3f3p-51F, 0x70819dp-76F, -0xc5e403p-24F, -0x2c545dp-47F, -0xb4e87bp-77F, 0xa26799p-24F, 0xa123bbp-50F,
    -0xf3fc4bp-76F, -0xbdaef9p-24F, -0x26aafbp-49F, 0x121ea7p-73F, 0x55f5a5p-23F, -0x5b989bp-48F, -0xbab905p-78F,
    -0xb504f3p-24F, -0x67f3bdp-49F, 0x36f74dp-73F, 0xb504f3p-24F, 0x67f3bdp-49F, -0x36f74dp-73F, -0x55f5a5p-23F,
    0x5b989bp-48F, 0xbab905p-78F, 0xbdaef9p-24F, 0x26aafbp-49F, -0x121ea7p-73F, -0xa26799p-24F, -0xa123bbp-50F,
    0xf3fc4bp-76F, 0xc5e403p-24F, 0x2c545dp-47F, 0xb4e87bp-77F, -0x261ffp-18F, 0xc7a3f3p-51F, -0x70819dp-76F,
    0x66cf81p-23F, 0x1fce1dp-47F, 0x59e23bp-76F, -0x471cedp-23F, 0xca32e7p-50F, -0xd92ee9p-78F, 0xd4db31p-24F,
    0x48750dp-48F, 0x6067d9p-74F, -0x839c3dp-24F, 0x6dd001p-49F, 0x9a5a01p-75F, 0x6dca0dp-23F, 0x1465b9p-47F,
    -0x9bc69fp-75F, -0x78ad75p-24F, 0xff2139p-51F, -0x63c1b1p-75F, 0x1c38b3p-21F, -0xe7f425p-49F, 0xd23e9dp-77F,
    -0x1b5d1p-18F, -0x278573p-48F, -0x56cd8bp-79F, 0x1ced7bp-21F, -0xbc3389p-49F, 0xbc3093p-75F, -0xc3ef15p-25F,
    -0x35754bp-49F, -0xb46989p-76F, 0x7641afp-23F, 0x3cca35p-47F, 0x628afdp-73F, -0x2b1f35p-23F, 0x52a701p-49F,
    0xc07bf7p-76F, 0x1e2121p-21F, 0x9ed0ddp-50F, -0xd014c7p-75F, -0x94a031p-25F, -0xed59fp-46F, -0xb516b9p-75F,
    0xf4fa0bp-24F, -0x49ce91p-48F, -0xb44fa7p-74F, -0x3e33f3p-24F, 0x9bd41dp-52F, -0xabd211p-77F, 0x1f0a7fp-21F,
    -0x8db9e5p-50F, -0x6ad385p-76F, -0x63e2e1p-25F, 0xe5967dp-53F, 0xa4da33p-78F, 0x7d8a5fp-23F, 0xff75cbp-49F,
    0xab10b9p-79F, -0x964083p-26F, -0x3a3985p-49F, 0x2eedp-66F, 0x3f4eabp-22F, -0xf75ae9p-53F, -0x5e82a3p-77F,
    -0x645e9bp-26F, 0xf592f5p-54F, 0xf138c7p-83F, 0xfec46dp-24F, 0xf44949p-51F, 0x33c105p-74F, -0xc8fb3p-24F,
    0xef227fp-53F, -0xf9bb51p-79F, 0xffb10fp-24F, 0xde5b5fp-51F, 0x78ea11p-75F,
  };
};
template <>
struct Circle<double> {
  static constexpr double limbs[] = {
    0.0, 0.0, 0.0, 0x1p0, 0.0, 0.0, 0x647d97c437605p-55, -0x1912bd0d569a9p-109, -0x1d7476f4c4b019p-167,
    0xffb10f1bcb6bfp-52, -0x1c57bc2e24aa15p-109, 0xa29ee7a9f25d5p-163, 0x645e9af0a6d0bp-54, -0x3c4e31a4ddad1p-109,
    -0x118edefcf7ef57p-168, 0xfec46d1e89293p-52, -0x187df6378811c7p-107, 0x6e9ef5a2c976dp-160, 0x964083747309dp-54,
    0x89800544d08fp-105, 0x7c1fe7f850123p-162, 0x1fa7557f08a517p-53, -0x17a0a8ca13571fp-107, -0x12a212f347e949p-163,
    0x18f8b83c69a60bp-55, -0x9368cdcffc6c1p-108, 0x19b09f9ca72c69p-163, 0x1f6297cff75cbp-49, 0x1562172a361fd3p-108,
    -0x163744e82fc701p-162, 0x1f19f97b215f1bp-55, -0x50b7bbc4768b1p-107, -0x1b4ce553ffbd03p-163,
    0x1f0a7efb9230d7p-53, 0x152c7adc6b4989p-108, -0x1db915a9794d33p-162, 0x94a03176acf83p-53, -0x15d28da2c4612dp-108,
    0x5fba9c7053417p-160, 0xf4fa0ab6316edp-52, 0xbb058f171fc0fp-106, -0x11ce7542369ecdp-161, 0x158f9a75ab1fddp-54,
    -0xf7ee06ac67b1p-109, -0x1f072f54189325p-171, 0x1e212104f686e5p-53, -0x1014c76c126527p-107, 0x8731589dab2e1p-160,
    0x187de2a6aea963p-54, -0x172cedd3d5a61p-105, -0x111e4420e0a4b5p-164, 0xec835e79946a3p-52, 0xa2bf308118d61p-107,
    -0x14f3f87abe1619p-163, 0x6d7440278573p-48, 0x15b362cb974183p-109, -0x73f3fdf0c6bc3p-163, 0x1ced7af43cc773p-53,
    -0xf3db5dad5ac57p-109, 0x1525e5e3766505p-165, 0x1e2b5d3806f63bp-54, 0x1e0d891d3c6841p-110, 0xc3c76b4556c15p-163,
    0x1c38b2f180bdb1p-53, -0x16e0b1757c8d07p-108, -0x1d3f8010ae0079p-163, 0x839c3cc917ff7p-52, -0x6968050d1d01bp-105,
    0x10157dad78ffcbp-161, 0xdb941a28cb71fp-52, -0x1bc69f324e6d61p-107, -0x16f0112635b4d1p-162, 0x238e76735cd19p-50,
    0xd92ee933fb3p-98, -0x156f3106b0516dp-161, 0x1a9b66290ea1a3p-53, 0x33ec61d16db59p-109, 0x1f345a348e97cdp-167,
    0x130ff7fce17035p-53, -0x1efcc626f74a6fp-109, -0x168e6523ac8297p-166, 0x19b3e047f38741p-53,
    -0x4c3b8a19c491dp-105, -0x196d598bf43c65p-162, 0xa267992848eebp-52, 0x18076a2cfdc6b3p-109, 0x111a6e1c0b805fp-163,
    0x18bc806b151741p-53, -0x12c5e12ed1336dp-107, 0xe64d5a8e86fa7p-161, 0xabeb49a46765p-48, -0xbab904c95fdd9p-106,
    0xd4a617e879c2dp-163, 0x17b5df226aafafp-53, -0x10f537acdf0ad7p-108, -0x14951b1cc475b3p-163, 0x16a09e667f3bcdp-53,
    -0xdee9a09d9322bp-106, 0x157d3e3adec175p-161, 0x16a09e667f3bcdp-53, -0xdee9a09d9322bp-106, 0x157d3e3adec175p-161,
    0x17b5df226aafafp-53, -0x10f537acdf0ad7p-108, -0x14951b1cc475b3p-163, 0xabeb49a46765p-48, -0xbab904c95fdd9p-106,
    0xd4a617e879c2dp-163, 0x18bc806b151741p-53, -0x12c5e12ed1336dp-107, 0xe64d5a8e86fa7p-161, 0xa267992848eebp-52,
    0x18076a2cfdc6b3p-109, 0x111a6e1c0b805fp-163, 0x19b3e047f38741p-53, -0x4c3b8a19c491dp-105,
    -0x196d598bf43c65p-162, 0x130ff7fce17035p-53, -0x1efcc626f74a6fp-109, -0x168e6523ac8297p-166,
    0x1a9b66290ea1a3p-53, 0x33ec61d16db59p-109, 0x1f345a348e97cdp-167, 0x238e76735cd19p-50, 0xd92ee933fb3p-98,
    -0x156f3106b0516dp-161, 0xdb941a28cb71fp-52, -0x1bc69f324e6d61p-107, -0x16f0112635b4d1p-162, 0x839c3cc917ff7p-52,
    -0x6968050d1d01bp-105, 0x10157dad78ffcbp-161, 0x1c38b2f180bdb1p-53, -0x16e0b1757c8d07p-108,
    -0x1d3f8010ae0079p-163, 0x1e2b5d3806f63bp-54, 0x1e0d891d3c6841p-110, 0xc3c76b4556c15p-163, 0x1ced7af43cc773p-53,
    -0xf3db5dad5ac57p-109, 0x1525e5e3766505p-165, 0x6d7440278573p-48, 0x15b362cb974183p-109, -0x73f3fdf0c6bc3p-163,
    0xec835e79946a3p-52, 0xa2bf308118d61p-107, -0x14f3f87abe1619p-163, 0x187de2a6aea963p-54, -0x172cedd3d5a61p-105,
    -0x111e4420e0a4b5p-164, 0x1e212104f686e5p-53, -0x1014c76c126527p-107, 0x8731589dab2e1p-160, 0x158f9a75ab1fddp-54,
    -0xf7ee06ac67b1p-109, -0x1f072f54189325p-171, 0xf4fa0ab6316edp-52, 0xbb058f171fc0fp-106, -0x11ce7542369ecdp-161,
    0x94a03176acf83p-53, -0x15d28da2c4612dp-108, 0x5fba9c7053417p-160, 0x1f0a7efb9230d7p-53, 0x152c7adc6b4989p-108,
    -0x1db915a9794d33p-162, 0x1f19f97b215f1bp-55, -0x50b7bbc4768b1p-107, -0x1b4ce553ffbd03p-163, 0x1f6297cff75cbp-49,
    0x1562172a361fd3p-108, -0x163744e82fc701p-162, 0x18f8b83c69a60bp-55, -0x9368cdcffc6c1p-108,
    0x19b09f9ca72c69p-163, 0x1fa7557f08a517p-53, -0x17a0a8ca13571fp-107, -0x12a212f347e949p-163, 0x964083747309dp-54,
    0x89800544d08fp-105, 0x7c1fe7f850123p-162, 0xfec46d1e89293p-52, -0x187df6378811c7p-107, 0x6e9ef5a2c976dp-160,
    0x645e9af0a6d0bp-54, -0x3c4e31a4ddad1p-109, -0x118edefcf7ef57p-168, 0xffb10f1bcb6bfp-52, -0x1c57bc2e24aa15p-109,
    0xa29ee7a9f25d5p-163, 0x647d97c437605p-55, -0x1912bd0d569a9p-109, -0x1d7476f4c4b019p-167, 0x1p0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0xffb10f1bcb6bfp-52, -0x1c57bc2e24aa15p-109, 0xa29ee7a9f25d5p-163, -0x647d97c437605p-55,
    0x1912bd0d569a9p-109, 0x1d7476f4c4b019p-167, 0xfec46d1e89293p-52, -0x187df6378811c7p-107, 0x6e9ef5a2c976dp-160,
    -0x645e9af0a6d0bp-54, 0x3c4e31a4ddad1p-109, 0x118edefcf7ef57p-168, 0x1fa7557f08a517p-53, -0x17a0a8ca13571fp-107,
    -0x12a212f347e949p-163, -0x964083747309dp-54, -0x89800544d08fp-105, -0x7c1fe7f850123p-162, 0x1f6297cff75cbp-49,
    0x1562172a361fd3p-108, -0x163744e82fc701p-162, -0x18f8b83c69a60bp-55, 0x9368cdcffc6c1p-108,
    -0x19b09f9ca72c69p-163, 0x1f0a7efb9230d7p-53, 0x152c7adc6b4989p-108, -0x1db915a9794d33p-162,
    -0x1f19f97b215f1bp-55, 0x50b7bbc4768b1p-107, 0x1b4ce553ffbd03p-163, 0xf4fa0ab6316edp-52, 0xbb058f171fc0fp-106,
    -0x11ce7542369ecdp-161, -0x94a03176acf83p-53, 0x15d28da2c4612dp-108, -0x5fba9c7053417p-160, 0x1e212104f686e5p-53,
    -0x1014c76c126527p-107, 0x8731589dab2e1p-160, -0x158f9a75ab1fddp-54, 0xf7ee06ac67b1p-109, 0x1f072f54189325p-171,
    0xec835e79946a3p-52, 0xa2bf308118d61p-107, -0x14f3f87abe1619p-163, -0x187de2a6aea963p-54, 0x172cedd3d5a61p-105,
    0x111e4420e0a4b5p-164, 0x1ced7af43cc773p-53, -0xf3db5dad5ac57p-109, 0x1525e5e3766505p-165, -0x6d7440278573p-48,
    -0x15b362cb974183p-109, 0x73f3fdf0c6bc3p-163, 0x1c38b2f180bdb1p-53, -0x16e0b1757c8d07p-108,
    -0x1d3f8010ae0079p-163, -0x1e2b5d3806f63bp-54, -0x1e0d891d3c6841p-110, -0xc3c76b4556c15p-163,
    0xdb941a28cb71fp-52, -0x1bc69f324e6d61p-107, -0x16f0112635b4d1p-162, -0x839c3cc917ff7p-52, 0x6968050d1d01bp-105,
    -0x10157dad78ffcbp-161, 0x1a9b66290ea1a3p-53, 0x33ec61d16db59p-109, 0x1f345a348e97cdp-167, -0x238e76735cd19p-50,
    -0xd92ee933fb3p-98, 0x156f3106b0516dp-161, 0x19b3e047f38741p-53, -0x4c3b8a19c491dp-105, -0x196d598bf43c65p-162,
    -0x130ff7fce17035p-53, 0x1efcc626f74a6fp-109, 0x168e6523ac8297p-166, 0x18bc806b151741p-53,
    -0x12c5e12ed1336dp-107, 0xe64d5a8e86fa7p-161, -0xa267992848eebp-52, -0x18076a2cfdc6b3p-109,
    -0x111a6e1c0b805fp-163, 0x17b5df226aafafp-53, -0x10f537acdf0ad7p-108, -0x14951b1cc475b3p-163,
    -0xabeb49a46765p-48, 0xbab904c95fdd9p-106, -0xd4a617e879c2dp-163, 0x16a09e667f3bcdp-53, -0xdee9a09d9322bp-106,
    0x157d3e3adec175p-161, -0x16a09e667f3bcdp-53, 0xdee9a09d9322bp-106, -0x157d3e3adec175p-161, 0xabeb49a46765p-48,
    -0xbab904c95fdd9p-106, 0xd4a617e879c2dp-163, -0x17b5df226aafafp-53, 0x10f537acdf0ad7p-108, 0x14951b1cc475b3p-163,
    0xa267992848eebp-52, 0x18076a2cfdc6b3p-109, 0x111a6e1c0b805fp-163, -0x18bc806b151741p-53, 0x12c5e12ed1336dp-107,
    -0xe64d5a8e86fa7p-161, 0x130ff7fce17035p-53, -0x1efcc626f74a6fp-109, -0x168e6523ac8297p-166,
    -0x19b3e047f38741p-53, 0x4c3b8a19c491dp-105, 0x196d598bf43c65p-162, 0x238e76735cd19p-50, 0xd92ee933fb3p-98,
    -0x156f3106b0516dp-161, -0x1a9b66290ea1a3p-53, -0x33ec61d16db59p-109, -0x1f345a348e97cdp-167,
    0x839c3cc917ff7p-52, -0x6968050d1d01bp-105, 0x10157dad78ffcbp-161, -0xdb941a28cb71fp-52, 0x1bc69f324e6d61p-107,
    0x16f0112635b4d1p-162, 0x1e2b5d3806f63bp-54, 0x1e0d891d3c6841p-110, 0xc3c76b4556c15p-163, -0x1c38b2f180bdb1p-53,
    0x16e0b1757c8d07p-108, 0x1d3f8010ae0079p-163, 0x6d7440278573p-48, 0x15b362cb974183p-109, -0x73f3fdf0c6bc3p-163,
    -0x1ced7af43cc773p-53, 0xf3db5dad5ac57p-109, -0x1525e5e3766505p-165, 0x187de2a6aea963p-54, -0x172cedd3d5a61p-105,
    -0x111e4420e0a4b5p-164, -0xec835e79946a3p-52, -0xa2bf308118d61p-107, 0x14f3f87abe1619p-163, 0x158f9a75ab1fddp-54,
    -0xf7ee06ac67b1p-109, -0x1f072f54189325p-171, -0x1e212104f686e5p-53, 0x1014c76c126527p-107,
    -0x8731589dab2e1p-160, 0x94a03176acf83p-53, -0x15d28da2c4612dp-108, 0x5fba9c7053417p-160, -0xf4fa0ab6316edp-52,
    -0xbb058f171fc0fp-106, 0x11ce7542369ecdp-161, 0x1f19f97b215f1bp-55, -0x50b7bbc4768b1p-107,
    -0x1b4ce553ffbd03p-163, -0x1f0a7efb9230d7p-53, -0x152c7adc6b4989p-108, 0x1db915a9794d33p-162,
    0x18f8b83c69a60bp-55, -0x9368cdcffc6c1p-108, 0x19b09f9ca72c69p-163, -0x1f6297cff75cbp-49, -0x1562172a361fd3p-108,
    0x163744e82fc701p-162, 0x964083747309dp-54, 0x89800544d08fp-105, 0x7c1fe7f850123p-162, -0x1fa7557f08a517p-53,
    0x17a0a8ca13571fp-107, 0x12a212f347e949p-163, 0x645e9af0a6d0bp-54, -0x3c4e31a4ddad1p-109, -0x118edefcf7ef57p-168,
    -0xfec46d1e89293p-52, 0x187df6378811c7p-107, -0x6e9ef5a2c976dp-160, 0x647d97c437605p-55, -0x1912bd0d569a9p-109,
    -0x1d7476f4c4b019p-167, -0xffb10f1bcb6bfp-52, 0x1c57bc2e24aa15p-109, -0xa29ee7a9f25d5p-163, 0.0, 0.0, 0.0,
    -0x1p0, 0.0, 0.0, -0x647d97c437605p-55, 0x1912bd0d569a9p-109, 0x1d7476f4c4b019p-167, -0xffb10f1bcb6bfp-52,
    0x1c57bc2e24aa15p-109, -0xa29ee7a9f25d5p-163, -0x645e9af0a6d0bp-54, 0x3c4e31a4ddad1p-109, 0x118edefcf7ef57p-168,
    -0xfec46d1e89293p-52, 0x187df6378811c7p-107, -0x6e9ef5a2c976dp-160, -0x964083747309dp-54, -0x89800544d08fp-105,
    -0x7c1fe7f850123p-162, -0x1fa7557f08a517p-53, 0x17a0a8ca13571fp-107, 0x12a212f347e949p-163,
    -0x18f8b83c69a60bp-55, 0x9368cdcffc6c1p-108, -0x19b09f9ca72c69p-163, -0x1f6297cff75cbp-49,
    -0x1562172a361fd3p-108, 0x163744e82fc701p-162, -0x1f19f97b215f1bp-55, 0x50b7bbc4768b1p-107,
    0x1b4ce553ffbd03p-163, -0x1f0a7efb9230d7p-53, -0x152c7adc6b4989p-108, 0x1db915a9794d33p-162,
    -0x94a03176acf83p-53, 0x15d28da2c4612dp-108, -0x5fba9c7053417p-160, -0xf4fa0ab6316edp-52, -0xbb058f171fc0fp-106,
    0x11ce7542369ecdp-161, -0x158f9a75ab1fddp-54, 0xf7ee06ac67b1p-109, 0x1f072f54189325p-171, -0x1e212104f686e5p-53,
    0x1014c76c126527p-107, -0x8731589dab2e1p-160, -0x187de2a6aea963p-54, 0x172cedd3d5a61p-105, 0x111e4420e0a4b5p-164,
    -0xec835e79946a3p-52, -0xa2bf308118d61p-107, 0x14f3f87abe1619p-163, -0x6d7440278573p-48, -0x15b362cb974183p-109,
    0x73f3fdf0c6bc3p-163, -0x1ced7af43cc773p-53, 0xf3db5dad5ac57p-109, -0x1525e5e3766505p-165, -0x1e2b5d3806f63bp-54,
    -0x1e0d891d3c6841p-110, -0xc3c76b4556c15p-163, -0x1c38b2f180bdb1p-53, 0x16e0b1757c8d07p-108,
    0x1d3f8010ae0079p-163, -0x839c3cc917ff7p-52, 0x6968050d1d01bp-105, -0x10157dad78ffcbp-161, -0xdb941a28cb71fp-52,
    0x1bc69f324e6d61p-107, 0x16f0112635b4d1p-162, -0x238e76735cd19p-50, -0xd92ee933fb3p-98, 0x156f3106b0516dp-161,
    -0x1a9b66290ea1a3p-53, -0x33ec61d16db59p-109, -0x1f345a348e97cdp-167, -0x130ff7fce17035p-53,
    0x1efcc626f74a6fp-109, 0x168e6523ac8297p-166, -0x19b3e047f38741p-53, 0x4c3b8a19c491dp-105, 0x196d598bf43c65p-162,
    -0xa267992848eebp-52, -0x18076a2cfdc6b3p-109, -0x111a6e1c0b805fp-163, -0x18bc806b151741p-53,
    0x12c5e12ed1336dp-107, -0xe64d5a8e86fa7p-161, -0xabeb49a46765p-48, 0xbab904c95fdd9p-106, -0xd4a617e879c2dp-163,
    -0x17b5df226aafafp-53, 0x10f537acdf0ad7p-108, 0x14951b1cc475b3p-163, -0x16a09e667f3bcdp-53, 0xdee9a09d9322bp-106,
    -0x157d3e3adec175p-161, -0x16a09e667f3bcdp-53, 0xdee9a09d9322bp-106, -0x157d3e3adec175p-161,
    -0x17b5df226aafafp-53, 0x10f537acdf0ad7p-108, 0x14951b1cc475b3p-163, -0xabeb49a46765p-48, 0xbab904c95fdd9p-106,
    -0xd4a617e879c2dp-163, -0x18bc806b151741p-53, 0x12c5e12ed1336dp-107, -0xe64d5a8e86fa7p-161, -0xa267992848eebp-52,
    -0x18076a2cfdc6b3p-109, -0x111a6e1c0b805fp-163, -0x19b3e047f38741p-53, 0x4c3b8a19c491dp-105,
    0x196d598bf43c65p-162, -0x130ff7fce17035p-53, 0x1efcc626f74a6fp-109, 0x168e6523ac8297p-166,
    -0x1a9b66290ea1a3p-53, -0x33ec61d16db59p-109, -0x1f345a348e97cdp-167, -0x238e76735cd19p-50, -0xd92ee933fb3p-98,
    0x156f3106b0516dp-161, -0xdb941a28cb71fp-52, 0x1bc69f324e6d61p-107, 0x16f0112635b4d1p-162, -0x839c3cc917ff7p-52,
    0x6968050d1d01bp-105, -0x10157dad78ffcbp-161, -0x1c38b2f180bdb1p-53, 0x16e0b1757c8d07p-108,
    0x1d3f8010ae0079p-163, -0x1e2b5d3806f63bp-54, -0x1e0d891d3c6841p-110, -0xc3c76b4556c15p-163,
    -0x1ced7af43cc773p-53, 0xf3db5dad5ac57p-109, -0x1525e5e3766505p-165, -0x6d7440278573p-48, -0x15b362cb974183p-109,
    0x73f3fdf0c6bc3p-163, -0xec835e79946a3p-52, -0xa2bf308118d61p-107, 0x14f3f87abe1619p-163, -0x187de2a6aea963p-54,
    0x172cedd3d5a61p-105, 0x111e4420e0a4b5p-164, -0x1e212104f686e5p-53, 0x1014c76c126527p-107, -0x8731589dab2e1p-160,
    -0x158f9a75ab1fddp-54, 0xf7ee06ac67b1p-109, 0x1f072f54189325p-171, -0xf4fa0ab6316edp-52, -0xbb058f171fc0fp-106,
    0x11ce7542369ecdp-161, -0x94a03176acf83p-53, 0x15d28da2c4612dp-108, -0x5fba9c7053417p-160, -0x1f0a7efb9230d7p-53,
    -0x152c7adc6b4989p-108, 0x1db915a9794d33p-162, -0x1f19f97b215f1bp-55, 0x50b7bbc4768b1p-107,
    0x1b4ce553ffbd03p-163, -0x1f6297cff75cbp-49, -0x1562172a361fd3p-108, 0x163744e82fc701p-162,
    -0x18f8b83c69a60bp-55, 0x9368cdcffc6c1p-108, -0x19b09f9ca72c69p-163, -0x1fa7557f08a517p-53,
    0x17a0a8ca13571fp-107, 0x12a212f347e949p-163, -0x964083747309dp-54, -0x89800544d08fp-105, -0x7c1fe7f850123p-162,
    -0xfec46d1e89293p-52, 0x187df6378811c7p-107, -0x6e9ef5a2c976dp-160, -0x645e9af0a6d0bp-54, 0x3c4e31a4ddad1p-109,
    0x118edefcf7ef57p-168, -0xffb10f1bcb6bfp-52, 0x1c57bc2e24aa15p-109, -0xa29ee7a9f25d5p-163, -0x647d97c437605p-55,
    0x1912bd0d569a9p-109, 0x1d7476f4c4b019p-167, -0x1p0, 0.0, 0.0, 0.0, 0.0, 0.0, -0xffb10f1bcb6bfp-52,
    0x1c57bc2e24aa15p-109, -0xa29ee7a9f25d5p-163, 0x647d97c437605p-55, -0x1912bd0d569a9p-109, -0x1d7476f4c4b019p-167,
    -0xfec46d1e89293p-52, 0x187df6378811c7p-107, -0x6e9ef5a2c976dp-160, 0x645e9af0a6d0bp-54, -0x3c4e31a4ddad1p-109,
    -0x118edefcf7ef57p-168, -0x1fa7557f08a517p-53, 0x17a0a8ca13571fp-107, 0x12a212f347e949p-163, 0x964083747309dp-54,
    0x89800544d08fp-105, 0x7c1fe7f850123p-162, -0x1f6297cff75cbp-49, -0x1562172a361fd3p-108, 0x163744e82fc701p-162,
    0x18f8b83c69a60bp-55, -0x9368cdcffc6c1p-108, 0x19b09f9ca72c69p-163, -0x1f0a7efb9230d7p-53,
    -0x152c7adc6b4989p-108, 0x1db915a9794d33p-162, 0x1f19f97b215f1bp-55, -0x50b7bbc4768b1p-107,
    -0x1b4ce553ffbd03p-163, -0xf4fa0ab6316edp-52, -0xbb058f171fc0fp-106, 0x11ce7542369ecdp-161, 0x94a03176acf83p-53,
    -0x15d28da2c4612dp-108, 0x5fba9c7053417p-160, -0x1e212104f686e5p-53, 0x1014c76c126527p-107,
    -0x8731589dab2e1p-160, 0x158f9a75ab1fddp-54, -0xf7ee06ac67b1p-109, -0x1f072f54189325p-171, -0xec835e79946a3p-52,
    -0xa2bf308118d61p-107, 0x14f3f87abe1619p-163, 0x187de2a6aea963p-54, -0x172cedd3d5a61p-105,
    -0x111e4420e0a4b5p-164, -0x1ced7af43cc773p-53, 0xf3db5dad5ac57p-109, -0x1525e5e3766505p-165, 0x6d7440278573p-48,
    0x15b362cb974183p-109, -0x73f3fdf0c6bc3p-163, -0x1c38b2f180bdb1p-53, 0x16e0b1757c8d07p-108,
    0x1d3f8010ae0079p-163, 0x1e2b5d3806f63bp-54, 0x1e0d891d3c6841p-110, 0xc3c76b4556c15p-163, -0xdb941a28cb71fp-52,
    0x1bc69f324e6d61p-107, 0x16f0112635b4d1p-162, 0x839c3cc917ff7p-52, -0x6968050d1d01bp-105, 0x10157dad78ffcbp-161,
    -0x1a9b66290ea1a3p-53, -0x33ec61d16db59p-109, -0x1f345a348e97cdp-167, 0x238e76735cd19p-50, 0xd92ee933fb3p-98,
    -0x156f3106b0516dp-161, -0x19b3e047f38741p-53, 0x4c3b8a19c491dp-105, 0x196d598bf43c65p-162, 0x130ff7fce17035p-53,
    -0x1efcc626f74a6fp-109, -0x168e6523ac8297p-166, -0x18bc806b151741p-53, 0x12c5e12ed1336dp-107,
    -0xe64d5a8e86fa7p-161, 0xa267992848eebp-52, 0x18076a2cfdc6b3p-109, 0x111a6e1c0b805fp-163, -0x17b5df226aafafp-53,
    0x10f537acdf0ad7p-108, 0x14951b1cc475b3p-163, 0xabeb49a46765p-48, -0xbab904c95fdd9p-106, 0xd4a617e879c2dp-163,
    -0x16a09e667f3bcdp-53, 0xdee9a09d9322bp-106, -0x157d3e3adec175p-161, 0x16a09e667f3bcdp-53, -0xdee9a09d9322bp-106,
    0x157d3e3adec175p-161, -0xabeb49a46765p-48, 0xbab904c95fdd9p-106, -0xd4a617e879c2dp-163, 0x17b5df226aafafp-53,
    -0x10f537acdf0ad7p-108, -0x14951b1cc475b3p-163, -0xa267992848eebp-52, -0x18076a2cfdc6b3p-109,
    -0x111a6e1c0b805fp-163, 0x18bc806b151741p-53, -0x12c5e12ed1336dp-107, 0xe64d5a8e86fa7p-161,
    -0x130ff7fce17035p-53, 0x1efcc626f74a6fp-109, 0x168e6523ac8297p-166, 0x19b3e047f38741p-53, -0x4c3b8a19c491dp-105,
    -0x196d598bf43c65p-162, -0x238e76735cd19p-50, -0xd92ee933fb3p-98, 0x156f3106b0516dp-161, 0x1a9b66290ea1a3p-53,
    0x33ec61d16db59p-109, 0x1f345a348e97cdp-167, -0x839c3cc917ff7p-52, 0x6968050d1d01bp-105, -0x10157dad78ffcbp-161,
    0xdb941a28cb71fp-52, -0x1bc69f324e6d61p-107, -0x16f0112635b4d1p-162, -0x1e2b5d3806f63bp-54,
    -0x1e0d891d3c6841p-110, -0xc3c76b4556c15p-163, 0x1c38b2f180bdb1p-53, -0x16e0b1757c8d07p-108,
    -0x1d3f8010ae0079p-163, -0x6d7440278573p-48, -0x15b362cb974183p-109, 0x73f3fdf0c6bc3p-163, 0x1ced7af43cc773p-53,
    -0xf3db5dad5ac57p-109, 0x1525e5e3766505p-165, -0x187de2a6aea963p-54, 0x172cedd3d5a61p-105, 0x111e4420e0a4b5p-164,
    0xec835e79946a3p-52, 0xa2bf308118d61p-107, -0x14f3f87abe1619p-163, -0x158f9a75ab1fddp-54, 0xf7ee06ac67b1p-109,
    0x1f072f54189325p-171, 0x1e212104f686e5p-53, -0x1014c76c126527p-107, 0x8731589dab2e1p-160, -0x94a03176acf83p-53,
    0x15d28da2c4612dp-108, -0x5fba9c7053417p-160, 0xf4fa0ab6316edp-52, 0xbb058f171fc0fp-106, -0x11ce7542369ecdp-161,
    -0x1f19f97b215f1bp-55, 0x50b7bbc4768b1p-107, 0x1b4ce553ffbd03p-163, 0x1f0a7efb9230d7p-53, 0x152c7adc6b4989p-108,
    -0x1db915a9794d33p-162, -0x18f8b83c69a60bp-55, 0x9368cdcffc6c1p-108, -0x19b09f9ca72c69p-163, 0x1f6297cff75cbp-49,
    0x1562172a361fd3p-108, -0x163744e82fc701p-162, -0x964083747309dp-54, -0x89800544d08fp-105, -0x7c1fe7f850123p-162,
    0x1fa7557f08a517p-53, -0x17a0a8ca13571fp-107, -0x12a212f347e949p-163, -0x645e9af0a6d0bp-54, 0x3c4e31a4ddad1p-109,
    0x118edefcf7ef57p-168, 0xfec46d1e89293p-52, -0x187df6378811c7p-107, 0x6e9ef5a2c976dp-160, -0x647d97c437605p-55,
    0x1912bd0d569a9p-109, 0x1d7476f4c4b019p-167, 0xffb10f1bcb6bfp-52, -0x1c57bc2e24aa15p-109, 0xa29ee7a9f25d5p-163,
  };
};

/// (sin(t) - t)/t^3, by t^2.
template <class T>
struct SineTail;
// Error at most 0.00013 u^2.
template <>
struct SineTail<float> {
  static constexpr int count = 3;
  static constexpr int first = 2;
  static constexpr float coefficients[] = {
    -0xaaaaabp-26F, 0xaaaaabp-51F, 0x888889p-30F, -0xeeeeefp-55F, -0xd00d01p-36F,
  };
};
// Error at most 0.01 u^2.
template <>
struct SineTail<double> {
  static constexpr int count = 6;
  static constexpr int first = 3;
  static constexpr double coefficients[] = {
    -0x15555555555555p-55, -0x15555555555555p-109, 0x11111111111111p-59, 0x11111111111111p-115, -0xd00d00d00d00dp-64,
    -0xd00d00d00d00dp-124, 0x5c778e955b1cdp-69, -0x6b99159fd5139p-76, 0x16124613a86d09p-85,
  };
};

/// (cos(t) - 1)/t^2, by t^2.
template <class T>
struct CosineTail;
// Error at most 0.0019 u^2.
template <>
struct CosineTail<float> {
  static constexpr int count = 3;
  static constexpr int first = 2;
  static constexpr float coefficients[] = {
    -0x1p-1F, 0.0F, 0xaaaaabp-28F, -0xaaaaabp-53F, -0xb60b61p-33F,
  };
};
// Error at most 0.17 u^2.
template <>
struct CosineTail<double> {
  static constexpr int count = 6;
  static constexpr int first = 3;
  static constexpr double coefficients[] = {
    -0x1p-1, 0.0, 0x15555555555555p-57, 0x15555555555555p-111, -0x16c16c16c16c17p-62, 0x1f49f49f49f49fp-117,
    0xd00d00d00d00dp-67, -0x49f93edde27d7p-72, 0x23ddb1dff1b13p-78,
  };
};

/// pi/64, in three limbs.
template <class T>
struct CircleStep;
template <>
struct CircleStep<float> {
  static constexpr float limbs[] = {
    0xc90fdbp-28F, -0x5dde97p-52F, -0xf72cedp-78F,
  };
};
template <>
struct CircleStep<double> {
  static constexpr double limbs[] = {
    0x3243f6a8885a3p-54, 0x11a62633145c07p-111, -0x7c65dadfb63efp-165,
  };
};

/// 64/pi.
template <class T>
struct CircleSteps;
template <>
struct CircleSteps<float> {
  static constexpr float value = 0xa2f983p-19F;
};
template <>
struct CircleSteps<double> {
  static constexpr double value = 0x145f306dc9c883p-48;
};

/// atan(j/32), in three limbs each.
template <class T>
struct ArcTangents;
template <>
struct ArcTangents<float> {
  static constexpr float limbs[] = {
    0.0F, 0.0F, 0.0F, 0x7ff557p-28F, -0x8ad13bp-55F, -0xd5ec43p-80F, 0x7fd56fp-27F, -0x8d3021p-53F, -0xc724d3p-78F,
    0xbf70c1p-27F, 0x602f11p-52F, -0xb9f6cbp-79F, 0xfeadd5p-27F, -0x553d09p-52F, -0x8e69bbp-78F, 0x9eb777p-26F,
    0x8c6627p-51F, -0xe9e5c5p-77F, 0x5ee5edp-25F, 0xbce5bp-47F, 0x11347bp-74F, 0xdc86bbp-26F, -0x6b6cfbp-50F,
    0x8117b1p-77F, 0xfadbbp-22F, -0x369bf9p-50F, -0x53aa49p-76F, 0x8c5fadp-25F, 0x617e2fp-51F, 0x261949p-78F,
    0x4d89ddp-24F, -0x8f8143p-50F, -0x8658e9p-75F, 0xa9856dp-25F, -0xd5c657p-51F, 0xeda99bp-77F, 0x5bd865p-24F,
    0x1e4defp-50F, 0x239c55p-76F, 0x62c935p-24F, -0xd6bc9bp-51F, -0x2924bdp-74F, 0x6993bbp-24F, 0xf308ffp-52F,
    0xb6c85p-74F, 0x7036d3p-24F, 0x94ec9fp-50F, -0x39839dp-77F, 0x1dac67p-22F, 0x561bb5p-50F, -0x975203p-78F,
    0x1f40ddp-22F, 0xb54141p-50F, 0xf9719bp-75F, 0x832bf5p-24F, -0xb24cf3p-49F, -0xeada4bp-79F, 0x892aedp-24F,
    -0x8085abp-50F, 0xf6a129p-77F, 0x8f005dp-24F, 0xbdefebp-49F, 0x3f36b9p-73F, 0x94ac73p-24F, -0x6cf71dp-49F,
    0xdec319p-77F, 0x9a2f81p-24F, -0xcc7211p-51F, -0xbbf7bbp-77F, 0x4fc4ffp-23F, -0xec2d21p-50F, -0x784c1dp-74F,
    0xa4bc7dp-24F, 0x1934f7p-48F, 0x92419bp-76F, 0x2a71ebp-22F, -0x23b7cfp-48F, -0xa376e9p-76F, 0x2bab13p-22F,
    0xe2d363p-50F, 0x400a39p-79F, 0x59b599p-23F, -0xdb83efp-50F, -0x96ea7p-72F, 0x5c029fp-23F, 0x578463p-49F,
    0xf39e59p-75F, 0x5e3dafp-23F, -0x151675p-48F, -0xd7f2bfp-76F, 0x606743p-23F, -0x8ea75bp-49F, -0xcdfbb1p-75F,
    0xc4ffbp-20F, -0x1501c1p-50F, -0xaadcd3p-78F, 0xc90fdbp-24F, -0x5dde97p-48F, -0xf72cedp-74F,
  };
};
template <>
struct ArcTangents<double> {
  static constexpr double limbs[] = {
    0.0, 0.0, 0.0, 0x1ffd55bba97625p-58, -0x57b10c511244bp-110, 0xc6213806d0295p-165, 0xffaaddb967ef5p-56,
    -0x1c934d86d23f1dp-112, -0xf9576731f6985p-167, 0x17ee182602f10fp-56, -0x39f6ca98187b3p-107,
    -0xf931303eaf70dp-164, 0xfeadd4d5617b7p-55, -0x1cd37686760c17p-111, -0x1dc421d31aa09bp-165, 0x4f5bbba31989bp-53,
    0x161a3b0ce9281bp-109, 0x1fd0aeea5e9f17p-167, 0xbdcbda5e72d81p-54, 0x9a3d85a7c40e5p-109, -0x716f0d8a5fe53p-163,
    0xdc86ba9493051p-54, 0x117b10d2e0e5abp-113, -0x1a1faf375dae59p-167, 0x1f5b75f92c80ddp-55, 0x18ab6e3cf7afbdp-109,
    0x42fcb54ff5207p-163, 0x2317eb4617e2fp-51, 0x130ca4748b1bf9p-109, -0x1f59cbc0b47591p-163, 0x4d89dcdc1faf3p-52,
    -0x32c74a896ce5bp-106, -0x50cd7f75b707bp-161, 0xa9856cca8e6a5p-53, -0x92b3240442041p-108, -0x6173eded3c62dp-161,
    0x16f61941e4def1p-54, -0x38c755cdedd23p-105, -0x1bb7cc27bc6885p-165, 0x18b24d394a1b25p-54, 0x36da1746e91f5p-105,
    0xa28ddc4b7c9e5p-161, 0x1a64eec3cc23fdp-54, -0x124dec1b50b7ffp-108, -0xc764c8ffdf917p-164, 0x1c0db4c94ec9fp-50,
    -0x730739c24d30dp-106, 0x1970076c297e5fp-162, 0x1dac670561bb4fp-54, 0xd15bf9117b2f1p-107, -0x15cbf247afa9e3p-163,
    0x3e81ba16a8283p-51, -0x1a3992dc382a23p-109, -0xe267bdfe6da41p-162, 0x10657e94db30dp-49, -0xeada4afb1a4f3p-107,
    0xa2b81e22ab9b1p-161, 0x11255d9bfbd2a9p-53, -0x12bdaee1c0ee35p-110, -0x16a08e08308c09p-165, 0x47802eaf7bfadp-51,
    -0x1928df287a668fp-110, 0x1ba3c8c533f033p-167, 0x12958e59308e31p-53, -0x109e73b0c6c087p-108,
    -0xb9a0e18ea3e17p-161, 0x1345f01cce37bbp-53, 0x881089be38881p-106, 0x7f9de6d723783p-159, 0x4fc4fee27a5bdp-51,
    0x1ecf8b492644fp-104, 0x1c077e75d0f46fp-162, 0x14978fa3269ee1p-53, 0x2483350fe548bp-105, -0x129b08e07bcbb1p-163,
    0x1538f57b89061fp-53, -0x46edd2af69483p-105, -0x36605033474d5p-159, 0x2bab130e2d363p-50, 0x8014725e2f3e5p-108,
    0x81c280dd0ad19p-162, 0x166d663923e087p-53, -0xb7537f5f45dddp-107, 0x5f273c8d3fe5p-157, 0x5c029f15e118dp-51,
    -0xc61a692d56f7bp-107, 0x4443d3d7aecc1p-160, 0xbc7b5deae98afp-52, 0x501a822600ddp-101, 0x1f652027f5703fp-161,
    0x1819d0b7158a4dp-53, -0x1bf76229d3b917p-108, 0x17d126ac77433dp-163, 0x313febfeafe3fp-50, -0x155b9a5e177a1bp-107,
    -0xfeef592cef25p-159, 0x3243f6a8885a3p-50, 0x11a62633145c07p-107, -0x7c65dadfb63efp-161,
  };
};

/// (atan(t) - t)/t^3, by t^2.
template <class T>
struct ArcTangentTail;
// Error at most 0.00014 u^2.
template <>
struct ArcTangentTail<float> {
  static constexpr int count = 4;
  static constexpr int first = 2;
  static constexpr float coefficients[] = {
    -0xaaaaabp-25F, 0xaaaaabp-50F, 0xcccccdp-26F, -0xcccccdp-52F, -0x924925p-26F, 0xe38e39p-27F,
  };
};
// Error at most 0.0016 u^2.
template <>
struct ArcTangentTail<double> {
  static constexpr int count = 9;
  static constexpr int first = 4;
  static constexpr double coefficients[] = {
    -0x15555555555555p-54, -0x15555555555555p-108, 0xccccccccccccdp-54, -0xccccccccccccdp-108, -0x9249249249249p-54,
    -0x9249249249249p-108, 0x71c71c71c71c7p-54, 0x71c71c71c71c7p-108, -0xba2e8ba2e8ba3p-55, 0x4ec4ec4ec4ec5p-54,
    -0x11111111111111p-56, 0xf0f0f0f0f0f0fp-56, -0x35e50d79435e5p-54,
  };
};

/// pi, pi/2, pi/4, 3 pi/4, in three limbs each.
template <class T>
struct Angles;
template <>
struct Angles<float> {
  static constexpr float limbs[] = {
    0xc90fdbp-22F, -0x5dde97p-46F, -0xf72cedp-72F, 0xc90fdbp-23F, -0x5dde97p-47F, -0xf72cedp-73F, 0xc90fdbp-24F,
    -0x5dde97p-48F, -0xf72cedp-74F, 0x25b2f9p-20F, -0x666f17p-50F, 0x69e4e5p-76F,
  };
};
template <>
struct Angles<double> {
  static constexpr double limbs[] = {
    0x3243f6a8885a3p-48, 0x11a62633145c07p-105, -0x7c65dadfb63efp-159, 0x3243f6a8885a3p-49, 0x11a62633145c07p-106,
    -0x7c65dadfb63efp-160, 0x3243f6a8885a3p-50, 0x11a62633145c07p-107, -0x7c65dadfb63efp-161, 0x96cbe3f9990e9p-50,
    0xd3c9ca64f4505p-105, 0xa2b39bd83750dp-159,
  };
};

/// The bits of 2/pi after the point, 32 a word, the first ones first.
inline constexpr U32 kTwoOverPi[] = {
    0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U, 0xdb629599U, 0x3c439041U, 0xfe5163abU, 0xdebbc561U,
    0xb7246e3aU, 0x424dd2e0U, 0x06492eeaU, 0x09d1921cU, 0xfe1deb1cU, 0xb129a73eU, 0xe88235f5U, 0x2ebb4484U,
    0xe99c7026U, 0xb45f7e41U, 0x3991d639U, 0x835339f4U, 0x9c845f8bU, 0xbdf9283bU, 0x1ff897ffU, 0xde05980fU,
    0xef2f118bU, 0x5a0a6d1fU, 0x6d367ecfU, 0x27cb09b7U, 0x4f463f66U, 0x9e5fea2dU, 0x7527bac7U, 0xebe5f17bU,
    0x3d0739f7U, 0x8a5292eaU, 0x6bfb5fb1U, 0x1f8d5d08U, 0x56033046U, 0xfc7b6babU, 0xf0cfbc20U, 0x9af4361dU,
    0xa9e39161U, 0x5ee61b08U, 0x6599855fU, 0x14a06840U, 0x8dffd880U, 0x4d732731U, 0x06061556U, 0xca73a8c9U,
    0x60e27bc0U, 0x8c6b47c4U, 0x19c367cdU, 0xdce8092aU, 0x8359c476U, 0x8b961ca6U, 0xddaf44d1U, 0x5719053eU,
    0xa5ff0705U, 0x3f7e33e8U, 0x32c2de4fU, 0x98327dbbU, 0xc33d26efU, 0x6b1e5ef8U, 0x9f3a1f35U, 0xcaf27f1dU,
    0x87f12190U,
};

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
